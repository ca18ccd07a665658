/**
 * Reads the answer to a list while it comes: each item is parsed on its own and only what is kept of it stays, so that a list of
 * many objects is never in memory as a whole.
 */
export class ListReader {
  readonly #kept: (item: unknown) => unknown;
  readonly #items: unknown[] = [];
  /** Fields of the answer apart from the items. */
  #frame = '';
  /** The part of an item that has come. */
  #item: string | undefined;
  #depth = 0;
  #inItems = false;
  #inText = false;
  #escaped = false;

  constructor(kept: (item: unknown) => unknown) {
    this.#kept = kept;
  }

  /** Throws a `RangeError` for an item, or a rest, that is larger than any of Kubernetes. */
  add(chunk: string): void {
    if ((this.#item?.length ?? 0) > mostOfItem) throw new RangeError(`an item is larger than ${mostOfItem} characters`);
    if (this.#frame.length > mostOfItem) throw new RangeError('the answer is not a list');
    if (this.#items.length > mostItems) throw new RangeError(`the list has more than ${mostItems} items`);
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (code === backslash) this.#escaped = true;
        else if (code === quote) this.#inText = false;
      } else if (code === quote) this.#inText = true;
      else if (code === openBrace || code === openBracket) {
        this.#depth += 1;
        if (this.#depth === 2) this.#inItems = /"items"\s*:\s*$/.test(this.#frame.slice(-100) + chunk.slice(from, at));
        if (this.#depth !== 3 || !this.#inItems) continue;
        this.#frame += chunk.slice(from, at);
        this.#item = '';
        from = at;
      } else if (code === closeBrace || code === closeBracket) {
        this.#depth -= 1;
        if (this.#depth !== 2 || this.#item === undefined) continue;
        this.#items.push(this.#kept(JSON.parse(this.#item + chunk.slice(from, at + 1))));
        this.#item = undefined;
        from = at + 1;
      }
    }
    if (this.#item === undefined) this.#frame += chunk.slice(from);
    else this.#item += chunk.slice(from);
  }

  /** The answer. Throws a `SyntaxError` when it is not whole. */
  end(): unknown {
    if (this.#items.length === 0) return JSON.parse(this.#frame);
    const answer = JSON.parse(this.#frame.replace(/("items"\s*:\s*\[)[\s,]*\]/, '$1]')) as object;
    return { ...answer, items: this.#items };
  }
}

/** etcd takes 1.5 MB at most. */
const mostOfItem = 5_000_000;
/** Kept parts of items are small; more than this many objects no cluster has of what is listed. */
const mostItems = 200_000;

const codeOf = (character: string): number => character.charCodeAt(0);
const [quote, backslash] = [codeOf('"'), codeOf('\\')];
const [openBrace, closeBrace, openBracket, closeBracket] = [codeOf('{'), codeOf('}'), codeOf('['), codeOf(']')];
