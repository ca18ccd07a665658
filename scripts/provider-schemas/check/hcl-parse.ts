/** Reads a Terraform file (HCL native syntax) into blocks, attributes and expressions. */
import type { Attribute, Block, Body, Expression, ObjectEntry, Step } from './hcl-syntax.ts';
import { TokenReader } from './hcl-token-reader.ts';
import { type Token, tokenize } from './hcl-tokens.ts';

export function parseHcl(text: string): Body {
  const reader = new Reader(tokenize(text));
  return reader.body('end');
}

const precedence: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

class Reader extends TokenReader {
  body(end: '}' | 'end'): Body {
    const attributes: Attribute[] = [];
    const blocks: Block[] = [];
    for (this.skipLines(); !this.is(end); this.skipLines()) {
      const name = this.take('word');
      if (this.is('=')) {
        this.next();
        attributes.push({ name: name.text, line: name.line, value: this.expression() });
      } else blocks.push(this.block(name));
      if (!this.is(end) && this.token().kind !== 'newline') this.fail('a new line');
    }
    return { attributes, blocks };
  }

  private block(name: Token): Block {
    const labels: string[] = [];
    while (!this.is('{')) {
      const token = this.next();
      if (token.kind !== 'string' && token.kind !== 'word') this.fail('a label or "{"', token);
      labels.push(token.kind === 'string' ? (token.parts?.[0]?.literal ?? '') : token.text);
    }
    this.next();
    const body = this.body('}');
    this.next();
    return { type: name.text, labels, line: name.line, body };
  }

  /** The only expression of `${…}`. */
  inTemplate(): Expression {
    this.skipLines();
    const inner = this.expression();
    this.skipLines();
    if (!this.is('end')) this.fail('"}"');
    return inner;
  }

  expression(): Expression {
    const test = this.operation(0);
    if (!this.is('?')) return test;
    this.next();
    this.skipLines();
    const yes = this.expression();
    this.skipLines();
    this.expect(':');
    this.skipLines();
    return { kind: 'conditional', line: test.line, test, yes, no: this.expression() };
  }

  private operation(level: number): Expression {
    const operators = precedence[level];
    if (!operators) return this.unary();
    let left = this.operation(level + 1);
    while (this.token().kind === 'mark' && operators.includes(this.token().text)) {
      const operator = this.next().text;
      this.skipLines();
      left = { kind: 'operation', line: left.line, operator, operands: [left, this.operation(level + 1)] };
    }
    return left;
  }

  private unary(): Expression {
    const token = this.token();
    if (token.kind === 'mark' && (token.text === '!' || token.text === '-')) {
      this.next();
      const operand = this.unary();
      if (token.text === '-' && operand.kind === 'number') return { ...operand, value: -operand.value };
      return { kind: 'operation', line: token.line, operator: token.text, operands: [operand] };
    }
    return this.withSteps(this.primary());
  }

  private withSteps(base: Expression): Expression {
    const steps: Step[] = [];
    for (;;) {
      if (this.is('.')) {
        this.next();
        const token = this.next();
        if (token.text === '*') steps.push({ kind: 'splat' });
        else if (token.kind === 'word') steps.push({ kind: 'name', name: token.text });
        else if (token.kind === 'number') {
          steps.push({ kind: 'index', index: { kind: 'number', line: token.line, value: Number(token.text) } });
        } else this.fail('a name', token);
      } else if (this.is('[')) {
        this.next();
        this.skipLines();
        if (this.is('*')) {
          this.next();
          steps.push({ kind: 'splat' });
        } else steps.push({ kind: 'index', index: this.expression() });
        this.skipLines();
        this.expect(']');
      } else break;
    }
    if (steps.length === 0) return base;
    if (base.kind === 'reference') return { ...base, steps };
    return { kind: 'path', line: base.line, base, steps };
  }

  private primary(): Expression {
    const token = this.next();
    const { line } = token;
    if (token.kind === 'number') return { kind: 'number', line, value: Number(token.text) };
    if (token.kind === 'string') return stringOf(token);
    if (token.kind === 'word') return this.word(token);
    if (token.text === '(') {
      this.skipLines();
      const inner = this.expression();
      this.skipLines();
      this.expect(')');
      return inner;
    }
    if (token.text === '[') return this.tuple(line);
    if (token.text === '{') return this.object(line);
    return this.fail('a value', token);
  }

  private word(token: Token): Expression {
    const { line, text } = token;
    if (text === 'true' || text === 'false') return { kind: 'bool', line, value: text === 'true' };
    if (text === 'null') return { kind: 'null', line };
    let name = text;
    while (this.is(':') && this.ahead()?.text === ':') {
      this.next();
      this.next();
      name += `::${this.take('word').text}`;
    }
    if (!this.is('(')) return { kind: 'reference', line, root: text, steps: [] };
    this.next();
    const args: Expression[] = [];
    let spread = false;
    for (this.skipLines(); !this.is(')'); this.skipLines()) {
      args.push(this.expression());
      this.skipLines();
      if (this.is('...')) {
        this.next();
        spread = true;
      } else if (this.is(',')) this.next();
      else if (!this.is(')')) this.fail('"," or ")"');
    }
    this.next();
    return { kind: 'call', line, name, args, spread };
  }

  private tuple(line: number): Expression {
    this.skipLines();
    if (this.isWord('for')) return this.forExpression(line, false);
    const items: Expression[] = [];
    for (; !this.is(']'); this.skipLines()) {
      items.push(this.expression());
      this.skipLines();
      if (this.is(',')) this.next();
      else if (!this.is(']')) this.fail('"," or "]"');
    }
    this.next();
    return { kind: 'tuple', line, items };
  }

  private object(line: number): Expression {
    this.skipLines();
    if (this.isWord('for')) return this.forExpression(line, true);
    const entries: ObjectEntry[] = [];
    for (; !this.is('}'); this.skipLines()) {
      const key = this.expression();
      if (!this.is('=') && !this.is(':')) this.fail('"="');
      this.next();
      const value = this.expression();
      if (this.is(',')) this.next();
      const bare = key.kind === 'reference' && key.steps.length === 0 ? key.root : undefined;
      const plain = key.kind === 'string' ? key.value : bare;
      entries.push(plain === undefined ? { computed: key, value } : { key: plain, value });
    }
    this.next();
    return { kind: 'object', line, entries };
  }

  private forExpression(line: number, object: boolean): Expression {
    this.next();
    const names = [this.take('word').text];
    if (this.is(',')) {
      this.next();
      names.push(this.take('word').text);
    }
    if (this.take('word').text !== 'in') this.fail('"in"');
    const collection = this.expression();
    this.skipLines();
    this.expect(':');
    this.skipLines();
    let value = this.expression();
    let key: Expression | undefined;
    this.skipLines();
    if (object) {
      this.expect('=>');
      this.skipLines();
      key = value;
      value = this.expression();
      this.skipLines();
    }
    const grouped = this.is('...');
    if (grouped) this.next();
    this.skipLines();
    let condition: Expression | undefined;
    if (this.isWord('if')) {
      this.next();
      condition = this.expression();
      this.skipLines();
    }
    this.expect(object ? '}' : ']');
    return {
      kind: 'for',
      line,
      object,
      names,
      collection,
      value,
      grouped,
      ...(key ? { key } : {}),
      ...(condition ? { condition } : {}),
    };
  }
}

function stringOf(token: Token): Expression {
  const { line, parts = [] } = token;
  if (parts.every((part) => part.literal !== undefined)) {
    return { kind: 'string', line, value: parts.map((part) => part.literal).join('') };
  }
  const expressions = parts.flatMap((part) => {
    if (part.expression === undefined) return [];
    return [new Reader(tokenize(part.expression, part.line)).inTemplate()];
  });
  return { kind: 'template', line, parts: expressions };
}
