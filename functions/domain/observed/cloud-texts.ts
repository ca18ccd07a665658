/** Texts that the APIs of several clouds answer. What only one of them has is next to its reader. */
import { closedText, observedLine } from './closed-texts.ts';

/** Names that people gave: compared with those of nodes, and shown. */
export const CloudName = observedLine(255);

/** An id with letters, digits and dashes, as UUIDs have them: it becomes a part of a path, and never a flag. */
export const CloudId = closedText(64, /^[0-9A-Za-z][0-9A-Za-z-]*$/);

/** A word of the cloud's own: a state, the code of a refusal. */
export const CloudWord = closedText(100, /^[A-Za-z0-9_][\w .:/-]*$/);

/** A token of a login: it becomes a header. */
export const AccessToken = closedText(20_000, /^[!-~]+$/);

/** Where the next page starts: it goes back to the cloud, as a parameter. */
export const PageToken = closedText(8000, /^[!-~]+$/);

/** An address of the cloud's API, without a login, a query or a fragment. */
export const ApiUrl = closedText(2000, /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~%/-]*)?$/);
