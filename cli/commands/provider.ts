/** `kubeloom provider list | test | init | check`: what types there are, whether the modules of one keep the contract, whether credentials work. */
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { CheckFinding } from '#contracts/job.ts';
import { type ProviderTypeFacts, providerTypes, type SecretField } from '#domain/provider-types.ts';
import { cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { paint, print, printJson, printTable, printWrapped } from '../print/output.ts';
import type { TestOptions } from '../print/type-report.ts';
import { isFolder } from '../submission/documents.ts';

interface CheckOptions {
  readonly file?: readonly string[];
  readonly namespace: string;
  readonly manifest?: string;
  readonly json?: boolean;
}

export function registerProvider(program: Command): void {
  const provider = program.command('provider').description('provider types, their modules and their credentials');
  provider
    .command('list')
    .description('the built-in provider types: what each can do, and the fields of its Secret')
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => {
      if (options.json) printJson(Object.entries(providerTypes).map(([type, facts]) => asJson(type, facts)));
      else show();
    });
  provider
    .command('types <type>')
    .description('the regions and server types of a cloud, with the prices that are known, and when they were read')
    .option('--region <name>', 'only what this region sells, with its prices')
    .addOption(jsonOption())
    .action(async (type: string, options: { region?: string; json?: boolean }) => {
      const { showServerTypes } = await import('../print/server-types.ts');
      await showServerTypes(type, options);
    });
  provider
    .command('test <dir>')
    .description('check the modules of a provider type against the contract of docs/write-a-provider.md')
    .option('--full', 'also validate and plan with Terraform and the real plugin; nothing is created')
    .addOption(jsonOption())
    .action(async (dir: string, options: TestOptions) => {
      const directory = resolve(dir);
      if (!(await isFolder(directory))) throw new CliError(`${dir} is not a directory`, exitCodes.notFound);
      // The kit is not part of the npm package.
      const { testType } = await import('../print/type-report.ts');
      process.exitCode = await testType(directory, options);
    });
  provider
    .command('init <dir>')
    .description(
      'write the folder of a new provider type with the name of the folder; it passes `provider test` and creates nothing yet',
    )
    .addOption(jsonOption())
    .action(async (dir: string, options: { json?: boolean }) => {
      const directory = resolve(dir);
      const { initType } = await import('../scaffold/new-type.ts');
      const files = await initType(directory);
      if (options.json) printJson({ directory, files });
      else {
        for (const file of files) print(`  ${join(dir, file)}`);
        print(`next: kubeloom provider test ${dir}; then read docs/plugins.md`);
      }
    });
  provider
    .command('check <name>')
    .description('test the credentials of a provider instance: identity, each permission, quotas; changes nothing')
    .option(
      '-f, --file <file...>',
      'files with the manifest and its Secrets, - for standard input; the check runs on this machine',
    )
    .addOption(namespaceOf('the stored manifest'))
    .addOption(
      new Option('--manifest <name>', 'the stored manifest, if several have such an instance').conflicts('file'),
    )
    .addOption(jsonOption())
    .action(async (name: string, options: CheckOptions) => {
      const findings = await check(name, options);
      const ok = verdict(findings);
      if (options.json) printJson({ provider: name, ok: ok !== false, findings });
      else showCheck(name, findings);
      process.exitCode = ok === false ? exitCodes.invalid : exitCodes.ok;
    });
}

async function check(name: string, { file, namespace, manifest }: CheckOptions): Promise<readonly CheckFinding[]> {
  if (file !== undefined) return (await import('../submission/check-files.ts')).checkFiles(name, file);
  const { checkStored } = await import('../submission/stored-check.ts');
  return checkStored(cliClient(), { provider: name, namespace, ...(manifest && { manifest }) });
}

/** False: something is missing. Null: something could not be checked. */
function verdict(findings: readonly CheckFinding[]): boolean | null {
  if (findings.some(({ ok }) => ok === false)) return false;
  return findings.some(({ ok }) => ok === null) ? null : true;
}

function showCheck(name: string, findings: readonly CheckFinding[]): void {
  if (findings.length === 0) {
    print(`${name}: nothing to check, it needs no credentials`);
    return;
  }
  const granted = findings.filter(({ about, ok }) => about === 'permission' && ok === true);
  for (const finding of findings.filter((one) => !granted.includes(one))) {
    const mark =
      finding.ok === true ? paint('green', 'ok') : finding.ok === false ? paint('red', 'no') : paint('yellow', '??');
    printWrapped(`  ${mark} ${finding.about} ${paint('bold', finding.name)}: ${finding.message}`, 7);
  }
  if (granted.length > 0) print(`  ${paint('green', 'ok')} ${granted.length} permissions are granted`);
  const words = {
    true: 'has what it needs',
    false: 'lacks what is marked',
    null: 'has what it needs, as far as could be checked',
  };
  print(`${name} ${words[String(verdict(findings)) as keyof typeof words]}`);
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
