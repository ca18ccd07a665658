/** What is left of a Terraform file after reading it: blocks, attributes and expressions, each with its line. */

export interface Body {
  readonly attributes: readonly Attribute[];
  readonly blocks: readonly Block[];
}

export interface Attribute {
  readonly name: string;
  readonly line: number;
  readonly value: Expression;
}

export interface Block {
  readonly type: string;
  readonly labels: readonly string[];
  readonly line: number;
  readonly body: Body;
}

/** One step of `a.b[0].c[*]`. */
export type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: Expression }
  | { readonly kind: 'splat' };

export type Expression = { readonly line: number } & (
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** A string with `${…}` inside. */
  | { readonly kind: 'template'; readonly parts: readonly Expression[] }
  | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly ObjectEntry[] }
  | { readonly kind: 'reference'; readonly root: string; readonly steps: readonly Step[] }
  /** Steps after something that is no name, as in `values(x)[0].id`. */
  | { readonly kind: 'path'; readonly base: Expression; readonly steps: readonly Step[] }
  /** `spread`: the last argument is given with `...`. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly spread: boolean }
  | { readonly kind: 'conditional'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'operation'; readonly operator: string; readonly operands: readonly Expression[] }
  | ForExpression
);

export interface ObjectEntry {
  /** A bare word or plain string; else `computed`. */
  readonly key?: string;
  readonly computed?: Expression;
  readonly value: Expression;
}

export interface ForExpression {
  readonly kind: 'for';
  /** `{ for … }`, else `[ for … ]`. */
  readonly object: boolean;
  readonly names: readonly string[];
  readonly collection: Expression;
  readonly key?: Expression;
  readonly value: Expression;
  readonly condition?: Expression;
  /** `value...` */
  readonly grouped: boolean;
}

export class HclFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
