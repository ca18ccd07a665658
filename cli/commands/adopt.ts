/** `kubeloom adopt FILE... --out DIR`: converts what Claudie has. Reads files, writes files, connects to nothing. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../exit-codes.ts';
import { jsonOption } from '../options.ts';
import { paint, print, printJson, printTable } from '../print/output.ts';
import { readableDocuments } from '../submission/documents.ts';

interface AdoptOptions {
  readonly out: string;
  readonly json?: boolean;
}

export function registerAdopt(program: Command): void {
  program
    .command('adopt <file...>')
    .description('import manifests, Secrets, kubeconfigs and SSH keys from Claudie; changes no machine')
    .requiredOption('--out <folder>', 'where the files are written; it must not exist')
    .addOption(jsonOption('answer as JSON, without values of Secrets'))
    .action(adopt);
}

async function adopt(files: readonly string[], { out, json }: AdoptOptions): Promise<void> {
  const { adoption } = await import('../claudie/adoption.ts');
  const documents = await readableDocuments(files);
  const found = adoption(documents.map(({ document }) => document));
  if (found.files.length === 0 && found.faults.length > 0)
    throw new CliError(`${files.join(', ')}: ${found.faults.join('; ')}`, exitCodes.invalid);
  if (found.files.length === 0) {
    const fix = 'pass a file with the output of `kubectl get inputmanifests,templategitreferences,secrets -A -o yaml`';
    throw new CliError(`${files.join(', ')} contains nothing from Claudie: ${fix}`, exitCodes.invalid);
  }
  await write(out, found.files);
  const { changes, missing, faults, clusters } = found;
  const machines = clusters.flatMap(({ id, machines: list = [] }) =>
    list.map(({ privateKey: _, ...machine }) => ({ cluster: id, ...machine })),
  );
  process.exitCode = faults.length > 0 ? exitCodes.invalid : exitCodes.ok;
  if (json) return printJson({ files: found.files.map(({ path }) => path), machines, changes, missing, faults });
  print(`written to ${out}, readable only by you: ${found.files.length} files`);
  if (machines.length > 0) {
    printTable(
      ['CLUSTER', 'MACHINE', 'POOL', 'ADDRESS', 'WHAT HAPPENS TO IT'],
      machines.map(({ cluster, node, loadBalancer, pool, address, kind }) => [
        ...[cluster, node, loadBalancer === undefined ? pool : `${loadBalancer}/${pool}`, address],
        kind === 'dynamic' ? 'stays, until Claudie deletes it' : 'stays, until it leaves Claudie’s cluster',
      ]),
    );
  }
  part('Changed in the manifests', changes);
  part('Missing', missing);
  part(paint('red', 'Faults in the manifests'), faults);
  part('Next steps', [
    `kubeloom apply -f ${out}/secrets-and-templates.yaml`,
    'plan and apply each manifest.yaml: new clusters next to the old ones',
    'move the workloads with the kubeconfigs of both; then delete the manifest in Claudie, add static pools and host names here, and apply again',
    'docs/moving-from-claudie.md says what is possible and what is not',
  ]);
}

function part(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  print(`${title}:`);
  for (const line of lines) print(`  ${line}`);
}

async function write(out: string, files: readonly { readonly path: string; readonly text: string }[]): Promise<void> {
  await mkdir(out, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EEXIST' ? 'it exists; name another folder' : cause.message;
    throw new CliError(`cannot make ${out}: ${why}`, exitCodes.usage, { cause });
  });
  try {
    for (const { path, text } of files) {
      const file = join(out, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    }
  } catch (cause) {
    await rm(out, { recursive: true, force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`cannot write to ${out}, which is removed again: ${why}`, exitCodes.usage, { cause });
  }
}
