/** Goes through tokens one by one, and says what was wanted where another one is. */
import { HclFault } from './hcl-syntax.ts';
import type { Token } from './hcl-tokens.ts';

export class TokenReader {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** The token after the next one. */
  protected ahead(): Token | undefined {
    return this.tokens[this.at + 1];
  }

  protected token(): Token {
    const token = this.tokens[this.at];
    if (!token) throw new HclFault(0, 'the file ends too early');
    return token;
  }

  protected next(): Token {
    const token = this.token();
    if (token.kind !== 'end') this.at += 1;
    return token;
  }

  protected is(text: string): boolean {
    const token = this.token();
    return text === 'end' ? token.kind === 'end' : token.kind === 'mark' && token.text === text;
  }

  protected isWord(text: string): boolean {
    return this.token().kind === 'word' && this.token().text === text;
  }

  protected take(kind: Token['kind']): Token {
    const token = this.next();
    return token.kind === kind ? token : this.fail('a name', token);
  }

  protected expect(text: string): void {
    if (!this.is(text)) this.fail(`"${text}"`);
    this.next();
  }

  protected skipLines(): void {
    while (this.token().kind === 'newline') this.next();
  }

  protected fail(wanted: string, token = this.token()): never {
    throw new HclFault(token.line, `${wanted} is wanted, not ${token.kind === 'newline' ? 'a new line' : token.text}`);
  }
}
