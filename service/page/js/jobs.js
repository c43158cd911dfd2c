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
  /** Answers to requests of an earlier turn are too late. */
  let turn = 0;
  let outlives = false;

  function show(now) {
    job = now;
    set({ ...NO_JOB, job });
    if (!goesOn(job)) end();
  }

  async function watch(own) {
    try {
      const now = await requests.get(job);
      if (own === turn) show(now);
    } catch (problem) {
      if (own !== turn) return;
      end();
      set({ ...NO_JOB, problem });
    }
  }

  const cancel = async () => {
    if (goesOn(job)) show(await requests.cancel(job).catch(() => job));
  };

  return {
    async begin(question) {
      const own = ++turn;
      outlives = false;
      end();
      set({ ...NO_JOB, starting: true });
      try {
        await cancel();
        const begun = await requests.begin(question);
        if (own !== turn) {
          requests.cancel(begun).catch(() => {});
          return;
        }
        show(begun);
        end = poll(() => watch(own), EVERY);
      } catch (problem) {
        if (own === turn) set({ ...NO_JOB, problem });
      }
    },
    cancel,
    /** Let the job go on when its view is left. */
    keep() {
      outlives = true;
    },
    stop() {
      turn++;
      end();
      if (goesOn(job) && !outlives) requests.cancel(job).catch(() => {});
    },
  };
}
