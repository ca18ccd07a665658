/** Terraform's type expressions, `list(object({ name = string }))`, read and compared. Pure. */

export type TerraformType =
  | { readonly kind: 'any' | 'string' | 'number' | 'bool' }
  | { readonly kind: 'list' | 'set' | 'map'; readonly of: TerraformType }
  | { readonly kind: 'tuple'; readonly members: readonly TerraformType[] }
  | { readonly kind: 'object'; readonly attributes: Readonly<Record<string, AttributeType>> };

interface AttributeType {
  readonly type: TerraformType;
  readonly optional: boolean;
}

/** Reads one. Throws a sentence for a text that is not a type. */
export function readTerraformType(text: string): TerraformType {
  const reader = new TypeReader(text.replace(/^\$\{([\s\S]*)\}$/, '$1'));
  const type = reader.type();
  reader.end();
  return type;
}

/** Why a value of type `given` does not fit a variable of type `wanted`; undefined when it fits. */
export function misfit(given: TerraformType, wanted: TerraformType, path = ''): string | undefined {
  const at = path === '' ? 'it' : path;
  if (wanted.kind === 'any' || given.kind === 'any') return undefined;
  if (wanted.kind === 'object') {
    if (given.kind !== 'object') return `${at} is ${typeName(given)}, not an object`;
    for (const [name, attribute] of Object.entries(wanted.attributes)) {
      const have = given.attributes[name];
      const place = path === '' ? name : `${path}.${name}`;
      if (have === undefined && !attribute.optional) return `${place} is not given at all; make it optional(…)`;
      if (have?.optional && !attribute.optional) return `${place} may be missing; make it optional(…)`;
      const inner = have === undefined ? undefined : misfit(have.type, attribute.type, place);
      if (inner !== undefined) return inner;
    }
    return undefined;
  }
  const rows = ['list', 'set'];
  if ('of' in wanted) {
    const alike = given.kind === wanted.kind || (rows.includes(given.kind) && rows.includes(wanted.kind));
    if (!alike || !('of' in given)) return `${at} is ${typeName(given)}, not ${typeName(wanted)}`;
    return misfit(given.of, wanted.of, `${path}[*]`);
  }
  return given.kind === wanted.kind ? undefined : `${at} is ${typeName(given)}, not ${typeName(wanted)}`;
}

/** The type as people write it. */
export function typeName(type: TerraformType): string {
  if ('of' in type) return `${type.kind}(${typeName(type.of)})`;
  if (type.kind === 'tuple') return `tuple([${type.members.map(typeName).join(', ')}])`;
  if (type.kind !== 'object') return type.kind;
  const attributes = Object.entries(type.attributes).map(([name, { type: inner, optional }]) => {
    return `${name} = ${optional ? `optional(${typeName(inner)})` : typeName(inner)}`;
  });
  return `object({ ${attributes.join(', ')} })`;
}

/** Reads from left to right; a default of `optional(type, default)` is skipped whatever it is. */
class TypeReader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    const plain = text.replaceAll(/(#|\/\/)[^\n]*/g, '');
    this.#tokens = [...plain.matchAll(/"(?:[^"\\]|\\.)*"?|[\w-]+|[^\s\w]/g)].map(([token]) => token);
  }

  type(): TerraformType {
    const word = this.#take();
    switch (word) {
      case 'any':
      case 'string':
      case 'number':
      case 'bool':
        return { kind: word };
      case 'list':
      case 'set':
      case 'map':
        return { kind: word, of: this.#inside('()', () => this.type()) };
      case 'tuple':
        return { kind: 'tuple', members: this.#inside('()', () => this.#listed('[]', () => this.type())) };
      case 'object': {
        const attributes = this.#inside('()', () => this.#listed('{}', () => this.#attribute()));
        return { kind: 'object', attributes: Object.fromEntries(attributes) };
      }
      default:
        throw new Error(`"${word}" is not a type of Terraform`);
    }
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw new Error(`"${this.#tokens[this.#next]}" follows the end of the type`);
  }

  #attribute(): readonly [name: string, AttributeType] {
    const name = this.#take().replaceAll('"', '');
    this.#expect('=', ':');
    if (this.#peek() !== 'optional') return [name, { type: this.type(), optional: false }];
    this.#take();
    return this.#inside('()', () => {
      const type = this.type();
      let depth = 0;
      while (depth > 0 || this.#peek() !== ')') {
        const token = this.#take();
        if ('([{'.includes(token)) depth += 1;
        if (')]}'.includes(token)) depth -= 1;
      }
      return [name, { type, optional: true }];
    });
  }

  /** With or without a comma after each. */
  #listed<Item>(brackets: '[]' | '{}', read: () => Item): readonly Item[] {
    return this.#inside(brackets, () => {
      const items: Item[] = [];
      while (this.#peek() !== brackets[1]) {
        items.push(read());
        if (this.#peek() === ',') this.#next += 1;
      }
      return items;
    });
  }

  #inside<Read>([open = '', close = '']: string, read: () => Read): Read {
    this.#expect(open);
    const value = read();
    this.#expect(close);
    return value;
  }

  #expect(...allowed: readonly string[]): void {
    const token = this.#take();
    if (!allowed.includes(token)) throw new Error(`"${token}" found, "${allowed.join('" or "')}" expected`);
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(): string {
    const token = this.#peek();
    if (token === undefined) throw new Error('the type ends too early');
    this.#next += 1;
    return token;
  }
}
