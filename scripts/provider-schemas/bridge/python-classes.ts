/** Reads generated Python as text: its classes, what their constructors take and what can be read of them. */

export interface PythonType {
  readonly optional: boolean;
  /** "string", "number", "bool", "any", a class by its name in quotes, or what a list or map holds. */
  readonly of: string | readonly ['list' | 'map', PythonType];
}

export interface PythonProperty {
  /** Name in Python, e.g. "server_type". */
  readonly python: string;
  /** Name everywhere else, e.g. "serverType". */
  readonly name: string;
  readonly type: PythonType;
  readonly deprecated: boolean;
}

export interface PythonParameter {
  readonly python: string;
  readonly type: PythonType;
  readonly hasDefault: boolean;
}

export interface PythonClass {
  readonly name: string;
  readonly parent: string;
  readonly parameters: readonly PythonParameter[];
  readonly properties: readonly PythonProperty[];
}

const words: Readonly<Record<string, string>> = {
  '_builtins.str': 'string',
  '_builtins.int': 'number',
  '_builtins.float': 'number',
  '_builtins.bool': 'bool',
  Any: 'any',
};

export function readClasses(text: string): ReadonlyMap<string, PythonClass> {
  const classes = new Map<string, PythonClass>();
  for (const part of text.split(/^(?=class )/m)) {
    const [, name, parent = ''] = /^class (\w+)(?:\(([^)]*)\))?:/.exec(part) ?? [];
    if (!name) continue;
    const parameters = parametersOf(/def __init__\(__self__, \*,\n([\s\S]*?)\):\n/.exec(part)?.[1] ?? '');
    classes.set(name, { name, parent, parameters, properties: propertiesOf(part) });
  }
  return classes;
}

/**
 * Parameters of the function `name`, without the options that every one takes. All of them can be left out in Python, and their
 * types say so; whether one may really be is what is left of its type without that.
 */
export function readFunction(text: string, name: string): readonly PythonParameter[] {
  const signature = new RegExp(`^def ${name}\\(([\\s\\S]*?)\\) -> `, 'm').exec(text)?.[1];
  if (signature === undefined) throw new Error(`there is no function ${name}`);
  return parametersOf(
    signature.replaceAll(/: (?:pulumi\.Input\[Optional\[(.*)\]\]|Optional\[(.*)\]) = None/g, ': $1$2'),
  );
}

/** Names of properties that are kept secret wherever they are shown. */
export function readSecrets(text: string): ReadonlySet<string> {
  const list = /additional_secret_outputs=\[([^\]]*)\]/.exec(text)?.[1] ?? '';
  return new Set([...list.matchAll(/"(\w+)"/g)].flatMap(([, name]) => (name ? [name] : [])));
}

function parametersOf(text: string): PythonParameter[] {
  return [...text.matchAll(/^\s*(\w+): (.+?)( = None)?,?$/gm)]
    .filter(([, python]) => python !== 'opts')
    .map(([, python = '', type = '', fallback]) => ({
      python,
      type: readType(type),
      hasDefault: fallback !== undefined,
    }));
}

function propertiesOf(text: string): PythonProperty[] {
  const pattern =
    /@_builtins\.property\s+@pulumi\.getter(?:\(name="(\w+)"\))?\s+(@_utilities\.deprecated\("""[\s\S]*?"""\)\s+)?def (\w+)\(self\) -> (.+):\n/g;
  return [...text.matchAll(pattern)].map(([, name, deprecated, python = '', type = '']) => ({
    python,
    name: name ?? python,
    type: readType(type),
    deprecated: deprecated !== undefined,
  }));
}

/** What may come later (`pulumi.Input`, `pulumi.Output`) counts as what comes. */
export function readType(text: string): PythonType {
  const [, outer, inner = ''] = /^([\w.]+)\[(.*)\]$/.exec(text) ?? [];
  if (outer === 'pulumi.Input' || outer === 'pulumi.Output') return readType(inner);
  if (outer === 'Optional') return { ...readType(inner), optional: true };
  // The class of what is given, what stands for it as a dictionary, and so on: the first tells all.
  if (outer === 'Union') return readType(inner.split(', ')[0] ?? '');
  if (outer === 'Sequence') return { optional: false, of: ['list', readType(inner)] };
  if (outer === 'Mapping') return { optional: false, of: ['map', readType(inner.replace(/^str, /, ''))] };
  const [, quoted] = /^'(?:outputs\.)?(\w+)'$/.exec(text) ?? [];
  const of = quoted ? `'${quoted}'` : words[text];
  if (!of) throw new Error(`"${text}" is no type that generated bindings have`);
  return { optional: false, of };
}
