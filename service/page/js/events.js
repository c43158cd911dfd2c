/** Server-sent events with reconnection: the browser resumes after the id of the last event. */

const FIRST = 1000;
const MOST = 30000;

/**
 * @param {string} address
 * @param {(event: object) => void} take
 * @param {(live: boolean) => void} tell called with true when the stream connects, false when it breaks
 * @returns {() => void} closes the stream
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
      // The browser reconnects by itself, except after an error response.
      if (source.readyState !== EventSource.CLOSED || ended) return;
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, MOST);
    };
  }

  function hear(message) {
    try {
      take(JSON.parse(message.data));
    } catch {
      // Ignore an incomplete event.
    }
  }

  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source.close();
  };
}

/** Call a function periodically, also after failures, but not while the page is hidden; returns a function that ends it. */
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
