/** A check of credentials in files, before anything is stored. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { CheckFinding } from '#contracts/job.ts';
import { isManifest, kindOf } from '#domain/documents/validate-documents.ts';
import { manifestOfDocument } from '#domain/manifest/groups/manifest-of-document.ts';
import { wantedCheck } from '#domain/manifest/provider-check.ts';
import { Secret, secretValues } from '#domain/manifest/schema/secret.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ownFile } from '../own-files.ts';
import { readDocuments } from './documents.ts';
import type { FileDocument } from './placed-in.ts';

/** Only runners resolve Secrets, so one of their programs does the check. */
const program = ownFile('runner-images/runner/provider-check/main.ts');

/** Throws `CliError` when there is no such instance, or the check fails. */
export async function checkFiles(name: string, files: readonly string[]): Promise<readonly CheckFinding[]> {
  const { documents, faults } = await readDocuments(files);
  const [fault] = faults;
  if (fault !== undefined) throw new CliError(`${fault.file} contains no readable documents`, exitCodes.invalid);
  return ask(inputOf(name, documents));
}

function inputOf(name: string, documents: readonly FileDocument[]): unknown {
  const manifests = documents.flatMap(({ document }) => {
    const read = isManifest(document) ? manifestOfDocument(document) : undefined;
    return read !== undefined && 'manifest' in read ? [read.manifest] : [];
  });
  const [request] = manifests.flatMap((manifest) => wantedCheck(manifest, name) ?? []);
  if (request === undefined) {
    const known = manifests.flatMap(({ spec }) => spec.providers.map((one) => one.name));
    const choice = known.length === 0 ? 'the files have no manifest that is valid' : `there are ${known.join(', ')}`;
    throw new CliError(`there is no provider "${name}": ${choice}`, exitCodes.notFound);
  }
  const secrets = documents.flatMap(({ document }) => {
    const secret = kindOf(document) === 'Secret' ? Secret.safeParse(document).data : undefined;
    return secret === undefined ? [] : [[`${secret.metadata.namespace}/${secret.metadata.name}`, secretValues(secret)]];
  });
  return { request, secrets: Object.fromEntries(secrets) };
}

/** Values are passed through a pipe, which no list of processes shows. */
async function ask(input: unknown): Promise<readonly CheckFinding[]> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(input));
  const [answer, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve)),
  ]);
  if (code !== 0) throw new CliError('the check itself failed; its output is above', exitCodes.fault);
  return z.array(CheckFinding).parse(JSON.parse(answer));
}
