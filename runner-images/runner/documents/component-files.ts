/** Files of releases by their SHA-256: from a directory of the installation, or over https. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadPublicly, RefusedAddress } from '#adapters/public-https.ts';
import type { SourceFile } from '#domain/planes/management-plane.ts';
import type { ClusterContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

type Places = Pick<ClusterContext, 'ports' | 'runner'>;

const bounds = { timeoutMs: 60_000, mostBytes: 20_000_000 } as const;

/** What was read by this process: its sum says what it is, so no other text can ever be meant. */
const known = new Map<string, Promise<string>>();

/** Throws `ComponentUnreachable`, `ComponentRefused` and `ComponentWrong`. */
export function componentFile(places: Places, resource: string, file: SourceFile): Promise<string> {
  const before = known.get(file.sha256);
  if (before !== undefined) return before;
  const read = readComponentFile(places, resource, file);
  known.set(file.sha256, read);
  read.catch(() => known.delete(file.sha256));
  return read;
}

async function readComponentFile(places: Places, resource: string, { url, sha256 }: SourceFile): Promise<string> {
  for (const directory of places.runner.documents) {
    const kept = await readFile(join(directory, sha256)).catch(() => undefined);
    if (kept !== undefined) return verified(kept, { resource, sha256, from: join(directory, sha256) });
  }
  return verified(await download(places, resource, url), { resource, sha256, from: url });
}

function verified(
  content: Buffer,
  { resource, sha256, from }: { readonly resource: string; readonly sha256: string; readonly from: string },
): string {
  const sum = createHash('sha256').update(content).digest('hex');
  if (sum === sha256) return content.toString('utf8');
  throw new StageFailure({
    class: 'user',
    code: 'ComponentWrong',
    message: `${from} has the SHA-256 ${sum}, not ${sha256}: it is not used.`,
    resource,
    hint: 'Read what has changed in the file; if it is what you want, write its sum into the ManagementPlane.',
  });
}

async function download({ ports }: Places, resource: string, url: string): Promise<Buffer> {
  const { host } = new URL(url);
  const privateHosts = ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS;
  const answer = await downloadPublicly(url, { ...bounds, privateHosts }).catch((cause: unknown) => {
    const refused = cause instanceof RefusedAddress;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StageFailure(
      {
        class: refused ? 'user' : 'transient',
        code: refused ? 'ComponentRefused' : 'ComponentUnreachable',
        message: `${url} cannot be fetched: ${why}.`,
        resource,
        hint: refused
          ? `Use a public host, or ask the operator to add ${host} to KUBELOOM_TEMPLATE_PRIVATE_HOSTS, or to put the file under its SHA-256 into a directory of KUBELOOM_DOCUMENTS.`
          : 'If it keeps failing, correct the URL in the ManagementPlane.',
      },
      { cause },
    );
  });
  if (answer.status === 200) return answer.body;
  const gone = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  throw new StageFailure({
    class: gone ? 'user' : 'transient',
    code: 'ComponentUnreachable',
    message: `${url} cannot be fetched: ${host} answers HTTP ${answer.status}.`,
    resource,
    hint: gone
      ? 'Correct the URL in the ManagementPlane.'
      : 'If it keeps failing, correct the URL in the ManagementPlane.',
  });
}
