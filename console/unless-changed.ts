/** Asks with the tag of the answer before: what did not change is not sent again, and is the same object, so that nothing is drawn again. */
import { type AnswerTo, type Asked, askOnce, type RouteName } from './api.ts';

interface Known {
  readonly data: unknown;
  readonly tag: string;
}

/** By what was asked; those that were asked for last are kept. */
const answers = new Map<string, Known>();
/** Pages that one goes to and fro between ask for fewer. */
const keptAtMost = 40;

/** As `ask`, of routes whose answers have a tag. */
export async function askUnlessChanged<Wanted extends RouteName>(
  route: Wanted,
  asked: Asked<Wanted>,
): Promise<AnswerTo<Wanted>> {
  const { params, query } = asked as { readonly params?: unknown; readonly query?: unknown };
  const name = JSON.stringify([route, params, query]);
  const before = answers.get(name);
  const headers = { ...asked.headers, ...(before && { 'if-none-match': before.tag }) };
  const found = await askOnce(route, { ...asked, headers });
  if (!found) {
    if (before) return before.data as AnswerTo<Wanted>;
    throw new Error('the first answer was empty');
  }
  const tag = found.headers.get('etag');
  answers.delete(name);
  if (tag !== null) answers.set(name, { data: found.data, tag });
  for (const oldest of answers.keys()) {
    if (answers.size <= keptAtMost) break;
    answers.delete(oldest);
  }
  return found.data as AnswerTo<Wanted>;
}
