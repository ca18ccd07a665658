/** What an answer means that no table knows: one rule for all tools (docs/troubleshooting.md). Pure. */
import type { Meaning } from './cause-row.ts';

/** Refusals of a service that may disappear without a change: too slow, too early, too often, changed meanwhile. */
const temporary = {
  408: { class: 'transient', hint: 'The service did not get the request in time.' },
  409: {
    class: 'conflict',
    hint: 'Another change of the same thing is in progress, or its name is taken. If it stays, see the message for what it is, and remove or rename that.',
  },
  425: { class: 'transient', hint: 'The service is not ready for the request.' },
  429: { class: 'transient', hint: 'The provider is rate-limiting requests.' },
} as const satisfies Readonly<Record<number, Meaning>>;

/** Refusals that say by their number alone what is wrong. */
const certain: Readonly<Record<number, Meaning>> = {
  ...temporary,
  401: {
    class: 'credentials',
    hint: 'The provider does not accept the login: check the Secret of this provider, it may be wrong or expired. Apply the Secret again.',
  },
  403: {
    class: 'credentials',
    hint: 'The login works and lacks a permission, or the account may not do this: grant it at the provider, then `kubeloom retry`; or apply a Secret that has it.',
  },
};

/** Statuses after which words add nothing. */
export const clearStatuses: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** A node's word that no row knows: the same in the tables of all tools that visit nodes. */
export const unknownOfNode: Meaning = {
  class: 'transient',
  hint: 'Kubeloom does not know this message of the machine. If it stays, the message is the machine’s own, and the log of the stage has all of it.',
};

/** Neither a code nor a status nor a word that is known. */
export const unknownOfTool: Meaning = {
  class: 'transient',
  hint: 'Kubeloom does not know this message. If it stays, the message is the tool’s own, and the log of the stage has all of it.',
};

/** What an HTTP status means where no code and no word is known; undefined for those that are not failures. */
export function meaningOfStatus(status: number): Meaning | undefined {
  if (status >= 500 && status <= 599) {
    return { class: 'transient', hint: `The service failed with status ${status}.` };
  }
  if (status < 400 || status > 499) return undefined;
  return (
    certain[status] ?? {
      class: 'user',
      hint: `The service refused the request with status ${status}, for a reason that Kubeloom does not know. That is not retried, because a refusal stays the same until someone changes something: the message says what to correct; then \`kubeloom retry\`.`,
    }
  );
}
