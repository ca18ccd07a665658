/** `kubeloom provider list`: the built-in provider types, what each can do, and what its Secret holds. */
import type { Command } from 'commander';
import { type ProviderTypeFacts, providerTypes, type SecretField } from '#domain/provider-types.ts';
import { paint, print, printJson, printTable, printWrapped } from '../output.ts';

export function registerProviderList(provider: Command): void {
  provider
    .command('list')
    .description('the built-in provider types: what each can do, and the fields of its Secret')
    .option('--json', 'answer as JSON')
    .action((options: { json?: boolean }) => {
      if (options.json) printJson(Object.entries(providerTypes).map(([type, facts]) => asJson(type, facts)));
      else show();
    });
}

function show(): void {
  const mark = (can: boolean) => (can ? paint('green', 'yes') : paint('dim', '-'));
  printTable(
    ['TYPE', 'NAME', 'NODES', 'DNS', 'GPU', 'SPOT', 'SECRET'],
    Object.entries(providerTypes).map(([type, facts]: [string, ProviderTypeFacts]) => [
      type,
      facts.title,
      mark(facts.nodes),
      mark(facts.dns),
      mark(facts.gpu),
      mark(facts.spot),
      [...waysOf(facts).map(fieldsOf), ...(facts.secretOptional ? ['none'] : [])].join(' or ') || paint('dim', 'none'),
    ]),
    { drop: ['NAME', 'SPOT', 'GPU', 'DNS', 'NODES'] },
  );
  print();
  printWrapped('fields in brackets may be left out; `static` node pools need no provider: docs/providers/static.md');
}

const waysOf = ({ secret, keyless }: ProviderTypeFacts): readonly (readonly SecretField[])[] =>
  [secret, ...(keyless ?? [])].filter((fields) => fields.length > 0);

function fieldsOf(fields: readonly SecretField[]): string {
  return fields.map(({ name, required }) => (required ? name : `[${name}]`)).join(', ');
}

function asJson(type: string, facts: ProviderTypeFacts): unknown {
  const { title, nodes, dns, gpu, spot } = facts;
  const secrets = waysOf(facts).map((fields) =>
    fields.map(({ name, required, format }) => ({ name, required, format })),
  );
  return { type, title, nodes, dns, gpu, spot, secrets, secretOptional: facts.secretOptional ?? secrets.length === 0 };
}
