/** Cuts the text of a Terraform file into tokens; strings are read whole, with the expressions inside them as text. */
import { HclFault } from './hcl-syntax.ts';

export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'mark' | 'newline' | 'end';
  readonly text: string;
  readonly line: number;
  /** Of a string: literal pieces, and the texts of `${…}`. */
  readonly parts?: readonly StringPart[];
}

export interface StringPart {
  readonly literal?: string;
  readonly expression?: string;
  readonly line: number;
}

const marks = ['...', '==', '!=', '<=', '>=', '&&', '||', '=>', ...'{}[]()=,.:?!<>+-*/%'];

export function tokenize(text: string, firstLine = 1): readonly Token[] {
  const tokens: Token[] = [];
  let line = firstLine;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^([ \t\r]+|(#|\/\/)[^\n]*|\/\*[\s\S]*?\*\/)/.exec(rest)?.[0];
    const word = /^[\p{L}_][\p{L}\p{N}_-]*/u.exec(rest)?.[0];
    const number = /^\d+(\.\d+)?([eE][+-]?\d+)?/.exec(rest)?.[0];
    const heredoc = /^<<(-?)([A-Za-z_]\w*)\n/.exec(rest);
    let taken: string;
    if (space) taken = space;
    else if (rest.startsWith('\n')) {
      tokens.push({ kind: 'newline', text: '\n', line });
      taken = '\n';
    } else if (heredoc) {
      const end = new RegExp(`^[ \\t]*${heredoc[2]}[ \\t]*$`, 'm').exec(rest.slice(heredoc[0].length));
      if (!end) throw new HclFault(line, `the heredoc ${heredoc[2]} has no end`);
      const body = rest.slice(heredoc[0].length, heredoc[0].length + end.index);
      tokens.push({ kind: 'string', text: body, line, parts: splitString(body, line + 1, false).parts });
      taken = rest.slice(0, heredoc[0].length + end.index + end[0].length);
    } else if (rest.startsWith('"')) {
      const { parts, length } = splitString(rest.slice(1), line, true);
      taken = rest.slice(0, length + 2);
      tokens.push({ kind: 'string', text: taken, line, parts });
    } else if (word) {
      tokens.push({ kind: 'word', text: word, line });
      taken = word;
    } else if (number) {
      tokens.push({ kind: 'number', text: number, line });
      taken = number;
    } else {
      const mark = marks.find((candidate) => rest.startsWith(candidate));
      if (!mark) throw new HclFault(line, `"${rest[0]}" means nothing here`);
      tokens.push({ kind: 'mark', text: mark, line });
      taken = mark;
    }
    line += taken.split('\n').length - 1;
    at += taken.length;
  }
  tokens.push({ kind: 'end', text: 'the end of the file', line });
  return tokens;
}

/** Parts of a string; `quoted` ends at the quote, else it goes on to the end of the text. */
function splitString(text: string, firstLine: number, quoted: boolean): { parts: StringPart[]; length: number } {
  const parts: StringPart[] = [];
  let literal = '';
  let line = firstLine;
  let at = 0;
  for (; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quoted && character === '"') break;
    if (quoted && character === '\n') throw new HclFault(line, 'a string ends with its line');
    if (character === '\n') line += 1;
    if (quoted && character === '\\') {
      literal += meantBy(text[at + 1] ?? '');
      at += 1;
    } else if (/^(\$\$|%%)\{/.test(text.slice(at, at + 3))) {
      literal += text.slice(at + 1, at + 3);
      at += 2;
    } else if (/^[$%]\{/.test(text.slice(at, at + 2))) {
      const end = matchingBrace(text, at + 2, line);
      const expression = text.slice(at + 2, end).replace(/^~|~$/g, '');
      parts.push({ literal, line });
      // Directives such as %{ if … } hold references too, but no expression of their own.
      if (character === '$') parts.push({ expression, line });
      literal = '';
      line += text.slice(at, end).split('\n').length - 1;
      at = end;
    } else literal += character;
  }
  if (quoted && at >= text.length) throw new HclFault(firstLine, 'a string has no end');
  parts.push({ literal, line });
  return { parts: parts.filter((part) => part.expression !== undefined || part.literal !== ''), length: at };
}

function matchingBrace(text: string, start: number, line: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at += splitString(text.slice(at + 1), line, true).length + 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new HclFault(line, '"${" has no end');
}

function meantBy(character: string): string {
  return { n: '\n', t: '\t', r: '\r' }[character] ?? character;
}
