/** The body of an answer, whose sender may never stop. */

/** Throws a `RangeError` for an answer that is larger than any. */
export async function boundedText(response: Response, mostBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > mostBytes) throw new RangeError(`the answer is larger than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
