/** Splits YAML into its documents and stops at the first sign that reading more would cost too much. */
import { CST, Lexer, type LineCounter, Parser } from 'yaml';
import { TextFault } from './text-fault.ts';

export interface TokenLimits {
  /** Values, keys and marks of all documents together. */
  readonly maxTokens: number;
  /** Lists and maps inside of each other. */
  readonly maxDepth: number;
}

/**
 * The documents of a text and what is between them, one after the other. Throws `TextFault` at the first place that no
 * reading can understand: the parser itself would continue and report an error for each of a million commas.
 */
export function* boundedTokens(text: string, counter: LineCounter, limits: TokenLimits): Generator<CST.Token> {
  const tooMuch = firstExcess(text, limits);
  const parser = new Parser(counter.addNewLine);
  if (tooMuch === undefined) return yield* refuseErrors(parser.parse(text));
  for (const { index } of text.slice(0, tooMuch.offset).matchAll(/^/gm)) counter.addNewLine(index);
  throw tooMuch;
}

/** Splitting into tokens alone takes a tenth of the time that parsing takes. */
function firstExcess(text: string, limits: TokenLimits): TextFault | undefined {
  const check = tokenCheck(limits);
  let offset = 0;
  let isText = false;
  try {
    for (const lexeme of new Lexer().lex(text)) {
      const isMark: boolean = !isText && widthless.has(lexeme);
      check(isText ? 'text' : CST.tokenType(lexeme), offset);
      isText = isMark && lexeme === CST.SCALAR;
      if (!isMark) offset += lexeme.length;
    }
  } catch (cause) {
    if (cause instanceof TextFault) return cause;
    throw cause;
  }
  return undefined;
}

/** What the lexer adds to the text. */
const widthless: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

function* refuseErrors(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    // What the source of the token says may be a secret.
    if (token.type === 'error') throw TextFault.syntax(token.message, token.offset);
    yield token;
  }
}

/** A bracket that the indentation leaves open ends a document, and the next may be good; this many are not a typing mistake. */
const maxCutBrackets = 20;

type Kind = CST.TokenType | 'text' | null;

/** Weighs one token after the other. */
function tokenCheck({ maxTokens, maxDepth }: TokenLimits): (kind: Kind, offset: number) => void {
  let tokens = 0;
  let flowDepth = 0;
  let marksOfLine = 0;
  let cutBrackets = 0;
  let before: Kind = null;
  return (kind, offset) => {
    switch (kind) {
      case 'newline':
        marksOfLine = 0;
        return;
      case 'space':
      case 'scalar':
      case 'byte-order-mark':
        return;
      case 'doc-mode':
        return;
      case 'flow-error-end':
        flowDepth = 0;
        cutBrackets += 1;
        if (cutBrackets > maxCutBrackets) throw TextFault.syntax('the bracket above is not closed', offset);
        return;
      case 'flow-map-start':
      case 'flow-seq-start':
        flowDepth += 1;
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        if (flowDepth === 0) throw TextFault.syntax('this bracket closes nothing', offset);
        flowDepth -= 1;
        break;
      case 'comma':
        if (before === 'comma') throw TextFault.syntax('there is nothing between these two commas', offset);
        break;
      case 'seq-item-ind':
      case 'explicit-key-ind':
        if (flowDepth === 0) marksOfLine += 1;
        break;
      default:
    }
    before = kind;
    tokens += 1;
    if (flowDepth > maxDepth || marksOfLine > maxDepth) throw TextFault.tooDeep(maxDepth, offset);
    if (tokens > maxTokens) throw TextFault.tooMuch(maxTokens, offset);
  };
}
