/** The variables and resources that an expression of a module refers to, directly or through locals. Pure. */
import { type ModuleSource, textsOf } from './module-source.ts';

/**
 * Everything that `value` refers to, as `var.tags`, `local.names`, `aws_vpc.network`, `data.aws_ami.image`; what locals
 * refer to is there as well.
 */
export function referencesOf(module: ModuleSource, value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (texts: readonly string[]): void => {
    for (const text of texts) {
      for (const name of namesIn(text)) {
        if (found.has(name)) continue;
        found.add(name);
        if (name.startsWith('local.')) visit(textsOf(module.locals[name.slice('local.'.length)]));
      }
    }
  };
  visit(textsOf(value));
  return found;
}

/** As `referencesOf`, and also what the `for_each` of resources that are referred to refers to. */
export function originsOf(module: ModuleSource, value: unknown, seen: ReadonlySet<string> = new Set()): Set<string> {
  const found = new Set(referencesOf(module, value));
  for (const { type, name, body } of module.resources) {
    const address = `${type}.${name}`;
    if (!found.has(address) || seen.has(address)) continue;
    for (const origin of originsOf(module, body.for_each, new Set([...seen, address]))) found.add(origin);
  }
  return found;
}

function namesIn(text: string): readonly string[] {
  const names = codeIn(text).matchAll(/(?<![\w.-])((?:data\.)?[a-z][\w-]*\.[a-z_][\w-]*)/g);
  return [...names].map((match) => match[1] ?? '');
}

/** The expressions of a template, without the words between them: a template may hold expressions that hold templates. */
function codeIn(text: string): string {
  const nesting: ('template' | 'braces')[] = ['template'];
  let code = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (nesting.at(-1) === 'template') {
      const opens = /^[$%]\{/.test(text.slice(at, at + 2)) && text[at - 1] !== char;
      if (char === '\\' && nesting.length > 1) at += 1;
      else if (char === '"' && nesting.length > 1) nesting.pop();
      else if (opens) {
        nesting.push('braces');
        at += 1;
        code += ' ';
      }
    } else if (char === '"') nesting.push('template');
    else {
      if (char === '{') nesting.push('braces');
      if (char === '}') nesting.pop();
      code += char;
    }
  }
  return code;
}
