/** Server-sent events that go on after a break: the browser asks again with the id of the last one. */

const FIRST = 1000;
const MOST = 30000;

/**
 * @param {string} address
 * @param {(event: object) => void} take
 * @param {(live: boolean) => void} tell whether the stream is there
 * @returns {() => void} ends it
 */
export function follow(address, take, tell = () => {}) {
  let source = null;
  let wait = FIRST;
  let timer = 0;
  let ended = false;

  function open() {
    source = new EventSource(address);
    source.onopen = () => {
      wait = FIRST;
      tell(true);
    };
    source.onmessage = hear;
    source.onerror = () => {
      tell(false);
      // The browser tries again by itself unless the answer was an error: then it gives up.
      if (source.readyState !== EventSource.CLOSED || ended) return;
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, MOST);
    };
  }

  function hear(message) {
    try {
      take(JSON.parse(message.data));
    } catch {
      // A comment or a half event says nothing.
    }
  }

  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source.close();
  };
}

/** Calls again and again, also after a failure, until it is ended; not while the page is hidden. */
export function poll(act, every) {
  let timer = 0;
  let ended = false;
  async function turn() {
    if (!document.hidden) await act().catch(() => {});
    if (!ended) timer = setTimeout(turn, every);
  }
  turn();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
