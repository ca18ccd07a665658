/** `kubeloom provider check NAME -f FILE`: tries the credentials of a provider instance before any plan. Exit 0, 1, 3 or 4. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { z } from 'zod';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { Secret, secretValues } from '#domain/manifest/secret.ts';
import { locatorOf } from '#domain/manifest/secret-source.ts';
import { kindOf } from '#domain/manifest/validate-documents.ts';
import { type FileDocument, readDocuments } from '../documents.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { paint, print, printJson, printWrapped } from '../output.ts';

const Findings = z.array(
  z.strictObject({
    about: z.enum(['identity', 'permission', 'quota']),
    name: z.string(),
    ok: z.boolean().nullable(),
    message: z.string(),
  }),
);
type Finding = z.infer<typeof Findings>[number];

/** Only runners resolve Secrets, so it is a program of theirs that looks. */
const program = fileURLToPath(new URL('../../runner-images/runner/provider-check/main.ts', import.meta.url));

export function registerProviderCheck(provider: Command): void {
  provider
    .command('check <name>')
    .description('try the credentials of a provider instance: identity, each permission, quotas; nothing is changed')
    .requiredOption('-f, --file <file...>', 'files with the manifest and its Secrets, - for standard input')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: { file: readonly string[]; json?: boolean }) => {
      const { documents, faults } = await readDocuments(options.file);
      const [fault] = faults;
      if (fault !== undefined) throw new CliError(`${fault.file} cannot be read as documents`, exitCodes.invalid);
      const findings = await ask(inputOf(name, documents));
      if (options.json) printJson({ provider: name, ok: verdict(findings) !== false, findings });
      else show(name, findings);
      const isMissing = verdict(findings) === false;
      process.exitCode = isMissing ? exitCodes.invalid : exitCodes.ok;
    });
}

function inputOf(name: string, documents: readonly FileDocument[]): unknown {
  const manifests = documents.flatMap(({ document }) => {
    const parsed = kindOf(document) === 'InputManifest' ? InputManifest.safeParse(document).data : undefined;
    return parsed === undefined ? [] : [parsed];
  });
  const manifest = manifests.find(({ spec }) => spec.providers.some((one) => one.name === name));
  const provider = manifest?.spec.providers.find((one) => one.name === name);
  if (manifest === undefined || provider === undefined) {
    const known = manifests.flatMap(({ spec }) => spec.providers.map((one) => one.name));
    const choice = known.length === 0 ? 'the files have no manifest that is valid' : `there are ${known.join(', ')}`;
    throw new CliError(`there is no provider "${name}": ${choice}`, exitCodes.notFound);
  }
  const pools = manifest.spec.nodePools.dynamic.filter(({ providerSpec }) => providerSpec.name === name);
  const secrets = documents.flatMap(({ document }) => {
    const secret = kindOf(document) === 'Secret' ? Secret.safeParse(document).data : undefined;
    return secret === undefined ? [] : [[`${secret.metadata.namespace}/${secret.metadata.name}`, secretValues(secret)]];
  });
  const { secretRef, providerType: type } = provider;
  return {
    request: {
      ...{ provider: name, type, regions: [...new Set(pools.map(({ providerSpec }) => providerSpec.region))] },
      ...(secretRef === undefined ? {} : { secret: locatorOf(secretRef, manifest.metadata.namespace) }),
    },
    secrets: Object.fromEntries(secrets),
  };
}

/** Values go by a pipe, which no list of processes shows. */
async function ask(input: unknown): Promise<readonly Finding[]> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(input));
  const [answer, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve)),
  ]);
  if (code !== 0) throw new CliError('the check itself failed; what it said is above', exitCodes.fault);
  return Findings.parse(JSON.parse(answer));
}

/** False: something is missing. Null: something could not be told. */
function verdict(findings: readonly Finding[]): boolean | null {
  if (findings.some(({ ok }) => ok === false)) return false;
  return findings.some(({ ok }) => ok === null) ? null : true;
}

function show(name: string, findings: readonly Finding[]): void {
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
  const words = { true: 'has what it needs', false: 'lacks what is marked', null: 'is fine as far as can be told' };
  print(`${name} ${words[String(verdict(findings)) as keyof typeof words]}`);
}
