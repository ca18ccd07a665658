/** What a reviewer of a change reads of a stack: which resources it has, and who may do what; in lines, so that diffs are short. */
import type { Stack } from 'aws-cdk-lib';
import { type Resource, type Statement, templateOf } from './synthesised.ts';

interface Document {
  readonly Statement: readonly Statement[];
}

/** Sorted resources by type, then the statements of each role and of each policy that belongs to a resource. */
export function reviewText(stack: Stack): string {
  const resources = Object.entries(templateOf(stack).toJSON().Resources as Record<string, Resource>).sort(byName);
  const kinds = [...new Set(resources.map(([, { Type }]) => Type))].sort();
  const lists = kinds.map((kind) => [
    kind,
    ...resources.flatMap(([id, { Type }]) => (Type === kind ? [`  ${id}`] : [])),
  ]);
  const rights = resources.flatMap(([id, resource]) => documentsOf(id, resource)).sort(byName);
  const managed = resources.flatMap(([id, { Properties = {} }]) =>
    [Properties.ManagedPolicyArns ?? []].flat().map((arn) => [`${id} has the managed policy`, `  ${text(arn)}`]),
  );
  return [
    ...lists,
    ...managed,
    ...rights.map(([owner, document]) => [owner, ...document.Statement.flatMap(statementLines)]),
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** Statements under their owner: a role's own and its trust policy; what a bucket, a key, a queue or a topic lets others do. */
function documentsOf(id: string, { Type, Properties = {} }: Resource): readonly (readonly [string, Document])[] {
  const roles = (Properties.Roles ?? []) as readonly { readonly Ref: string }[];
  const owner = Type === 'AWS::IAM::Policy' ? roles.map(({ Ref }) => Ref).join(', ') : id;
  return Object.entries(Properties)
    .filter(([, value]) => typeof value === 'object' && value !== null && 'Statement' in value)
    .map(([name, value]) => [`${owner} ${name}`, value as Document]);
}

/** Every key of a statement, those that this file has no word for under their own name. */
function statementLines({ Effect, Action, ...more }: Statement): readonly string[] {
  const words: Readonly<Record<string, string>> = { Principal: 'to', Resource: 'on', Condition: 'if' };
  const lines = Object.entries(more).flatMap(([key, value]) =>
    [value].flat().map((one) => `    ${words[key] ?? key} ${text(one)}`),
  );
  return [`  ${Effect} ${[Action].flat().map(text).join(', ')}`, ...lines];
}

/** A value of a template on one line; references as CloudFormation writes them in text: `${Table.Arn}`. */
function text(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  const [[name, of] = ['', undefined], ...more] = Object.entries(value);
  if (more.length === 0 && name === 'Ref') return `\${${of}}`;
  if (more.length === 0 && name === 'Fn::GetAtt') return `\${${(of as readonly string[]).join('.')}}`;
  if (more.length === 0 && name === 'Fn::ImportValue') return `\${${exported(String(of))}}`;
  if (more.length === 0 && name === 'Fn::Join') {
    const [separator, parts] = of as [string, readonly unknown[]];
    return parts.map(text).join(separator);
  }
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}: ${text(inner)}`)
    .join(', ')}}`;
}

/** `stack:TableCD117FA1.Arn` of the name that CDK gives an export. */
const exported = (name: string): string => name.replace(/ExportsOutputFnGetAtt(\w+)Arn[0-9A-F]{8}$/, '$1.Arn');

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b);
