/** Actions on Ctrl-C: code that has to print or clean up something registers it here; the process then exits with 130. */
import { exitCodes } from './exit-codes.ts';

type Action = () => void | Promise<void>;

const actions = new Set<Action>();

/** Runs `action` on Ctrl-C or a request to end, until the returned function is called. */
export function whenInterrupted(action: Action): () => void {
  actions.add(action);
  return () => void actions.delete(action);
}

/** Listens to signals from now on. A second one ends the process at once. */
export function listenToInterrupts(): void {
  let asked: number | undefined;
  const end = (): void => {
    // A terminal and a parent process may both pass on the same Ctrl-C: what comes within a blink is one.
    if (asked !== undefined && performance.now() - asked < 300) return;
    if (asked !== undefined) process.exit(exitCodes.interrupted);
    asked = performance.now();
    void Promise.allSettled([...actions].map(async (action) => action())).then(() =>
      process.exit(exitCodes.interrupted),
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}
