/** A tar archive (POSIX ustar) of small texts. Pure: the same texts and time make the same bytes. */

export interface ArchivedText {
  /** With `/` between folders; at most 100 characters after the last `/` that leaves at most 155 in front. */
  readonly path: string;
  readonly text: string;
}

const block = 512;

/** Files that only their owner reads. `seconds`: their time, since 1970. Throws for a path that does not fit. */
export function tarOf(texts: readonly ArchivedText[], seconds: number): Buffer {
  const parts = texts.flatMap(({ path, text }) => {
    const content = Buffer.from(text);
    return [headerOf(path, content.length, seconds), content, Buffer.alloc(-content.length & (block - 1))];
  });
  // Two empty blocks are its end.
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function headerOf(path: string, size: number, seconds: number): Buffer {
  const { prefix, name } = split(path);
  const header = Buffer.alloc(block);
  const put = (text: string, at: number) => header.write(text, at, 'utf8');
  const octal = (value: number, width: number) => `${Math.floor(value).toString(8).padStart(width, '0')}\0`;
  put(name, 0);
  put(octal(0o600, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(seconds, 11), 136);
  put('        ', 148);
  put('0', 156);
  put('ustar\x0000', 257);
  put(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function split(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { prefix, name };
  }
  throw new Error(`the path ${path} is too long for the archive`);
}
