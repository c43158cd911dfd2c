/** Jobs of the service: begin one, and follow it until its end. */

import { poll } from "./events.js";

const EVERY = 500;
const OVER = new Set(["done", "failed", "cancelled"]);
/** The state of the page without a job. */
export const NO_JOB = { job: null, problem: null, starting: false };

/** Return true while a job waits or runs. */
export const goesOn = (job) => job != null && !OVER.has(job.state);

/**
 * @param {{begin: (question: object) => Promise, get: (job: object) => Promise, cancel: (job: object) => Promise}} requests
 * @param {(now: object) => void} set called with each change of `NO_JOB`
 */
export function followedJob(requests, set) {
  let end = () => {};
  let job = null;

  function show(now) {
    job = now;
    set({ ...NO_JOB, job });
    if (!goesOn(job)) end();
  }

  async function watch() {
    try {
      show(await requests.get(job));
    } catch (problem) {
      end();
      set({ ...NO_JOB, problem });
    }
  }

  const cancel = async () => {
    if (goesOn(job)) show(await requests.cancel(job).catch(() => job));
  };

  return {
    async begin(question) {
      end();
      set({ ...NO_JOB, starting: true });
      try {
        await cancel();
        show(await requests.begin(question));
        end = poll(watch, EVERY);
      } catch (problem) {
        set({ ...NO_JOB, problem });
      }
    },
    cancel,
    stop() {
      end();
      if (goesOn(job)) requests.cancel(job).catch(() => {});
    },
  };
}
