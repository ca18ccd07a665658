/** Which IAM actions each method of a port needs: read from the commands that its adapter sends. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const functions = fileURLToPath(new URL('../../functions/', import.meta.url));

const services: Readonly<Record<string, string>> = {
  'client-codebuild': 'codebuild',
  'client-dynamodb': 'dynamodb',
  'client-s3': 's3',
  'client-sfn': 'states',
  'client-ssm': 'ssm',
  'lib-dynamodb': 'dynamodb',
};

/** Commands whose action has another name, or needs a second one. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  'dynamodb:Get': ['dynamodb:GetItem'],
  'dynamodb:Put': ['dynamodb:PutItem'],
  'dynamodb:Update': ['dynamodb:UpdateItem'],
  'dynamodb:Delete': ['dynamodb:DeleteItem'],
  'dynamodb:BatchGet': ['dynamodb:BatchGetItem'],
  'dynamodb:BatchWrite': ['dynamodb:BatchWriteItem'],
  // Without the right to list, a missing object is `AccessDenied` and not `NoSuchKey`.
  's3:GetObject': ['s3:GetObject', 's3:ListBucket'],
  's3:HeadObject': ['s3:GetObject', 's3:ListBucket'],
  's3:ListObjectsV2': ['s3:ListBucket'],
  's3:DeleteObjects': ['s3:DeleteObject'],
};

interface Adapter {
  /** Command → `service:Command`. */
  readonly commands: ReadonlyMap<string, string>;
  /** Field → class. */
  readonly fields: ReadonlyMap<string, string>;
  /** Methods and functions of the file; private ones as `#name`. */
  readonly bodies: ReadonlyMap<string, string>;
}

/** Actions by `port.method` for these methods, sorted. Throws for one whose adapter sends nothing. */
export function adapterActions(methods: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const wire = readFileSync(`${functions}wire.ts`, 'utf8');
  const files = new Map(matches(wire, /import \{ (\w+) \} from '#adapters\/([^']+)'/g));
  const classes = new Map([...files].map(([name, file]) => [name, adapterOf(`${functions}adapters/${file}`)]));
  const ports = new Map(matches(wire, /^ +(?:const )?(\w+)(?:: | = )new (\w+)\(/gm));
  // LargeDocuments is given the port, which this class is.
  const s3 = classes.get('S3Artifacts');
  if (s3) classes.set('Artifacts', s3);
  return Object.fromEntries(
    methods.map((use) => {
      const [port = '', method = ''] = use.split('.');
      const actions = actionsOf(classes, ports.get(port) ?? '', method);
      if (actions.length === 0) throw new Error(`no adapter in functions/wire.ts sends a command for ${use}`);
      return [use, actions];
    }),
  );
}

function actionsOf(classes: ReadonlyMap<string, Adapter>, start: string, method: string): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string, member: string): void => {
    const adapter = classes.get(name);
    const body = adapter?.bodies.get(member);
    if (!adapter || body === undefined || seen.has(`${name} ${member}`)) return;
    seen.add(`${name} ${member}`);
    for (const [, command] of body.matchAll(/new (\w+)Command\(/g)) {
      const sent = adapter.commands.get(String(command)) ?? '';
      for (const action of exceptions[sent] ?? [sent]) found.add(action);
    }
    for (const [, field, inner] of body.matchAll(/this\.#(\w+)\.(\w+)\(/g))
      visit(adapter.fields.get(String(field)) ?? '', String(inner));
    for (const [, own] of body.matchAll(/this\.(#?\w+)\(/g)) visit(name, String(own));
    for (const [, own] of body.matchAll(/(?<![.\w#])(\w+)\(/g)) visit(name, String(own));
  };
  visit(start, method);
  return [...found].sort();
}

function adapterOf(file: string): Adapter {
  const text = readFileSync(file, 'utf8');
  const commands = new Map<string, string>();
  for (const [names, from] of matches(text, /^import \{([\s\S]*?)\} from '@aws-sdk\/([^']+)'/gm)) {
    for (const [name] of matches(names, /\b(\w+)Command\b()/g)) commands.set(name, `${services[from]}:${name}`);
  }
  const fields = new Map(matches(text, /^ {2}readonly #(\w+): (\w+)/gm));
  const bodies = new Map<string, string>();
  let current = '';
  for (const line of text.replaceAll(/\/\*[\s\S]*?\*\//g, '').split('\n')) {
    current = /^(?:(?:export )?(?:async )?function | {2}(?:async )?(?=#?\w+[(<]))(#?\w+)/.exec(line)?.[1] ?? current;
    bodies.set(current, `${bodies.get(current) ?? ''}${line}\n`);
  }
  return { commands, fields, bodies };
}

function matches(text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map(([, first, second]) => [String(first), String(second)]);
}
