/** What is wrong with a text before it is a document. */

interface Place {
  readonly reason: string;
  readonly fix: string;
  /** Place in the text; absent when the text as a whole is meant. */
  readonly offset?: number | undefined;
}

const flatten = 'flatten it: no document needs this depth';

/** Thrown where reading more would be useless. */
export class TextFault extends Error implements Place {
  readonly reason: string;
  readonly fix: string;
  readonly offset: number | undefined;

  constructor({ reason, fix, offset }: Place) {
    super(reason);
    this.name = 'TextFault';
    this.reason = reason;
    this.fix = fix;
    this.offset = offset;
  }

  /** The error of the parser, as a fault for people. */
  static syntax(message: string, offset: number | undefined): TextFault {
    if (/call stack/.test(message)) {
      return new TextFault({ reason: 'lists and maps are nested too deeply here', fix: flatten, offset });
    }
    const reason = message.charAt(0).toLowerCase() + message.slice(1).replace(/\s+/g, ' ').slice(0, 200);
    return new TextFault({ reason, fix: fixes.find(([pattern]) => pattern.test(reason))?.[1] ?? wrongIndent, offset });
  }

  static tooDeep(maxDepth: number, offset: number | undefined): TextFault {
    return new TextFault({ reason: `lists and maps are more than ${maxDepth} deep here`, fix: flatten, offset });
  }

  static tooMuch(maxTokens: number, offset: number): TextFault {
    const reason = `the text has more than ${maxTokens} keys, values and marks`;
    return new TextFault({ reason, fix: 'split it into several files', offset });
  }
}

const wrongIndent = 'correct the YAML here; usually this line or one above it is indented wrongly';
/** By the message of the parser, which is never about a mistake of indentation. */
const fixes: readonly (readonly [pattern: RegExp, fix: string])[] = [
  [/\btabs?\b/i, 'indent with spaces; YAML takes no tabs'],
  [/comma|bracket|flow (map|sequence)/i, 'correct the brackets and commas here'],
  [/quote/i, 'close the quotes, or put the whole value into quotes'],
  [/tag/i, 'leave out the tag (what begins with "!")'],
  [/alias|anchor/i, 'write the value out instead of using an alias'],
];
