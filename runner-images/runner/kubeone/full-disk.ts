/**
 * A machine whose disk is full often does not say so to KubeOne: apt keeps for itself what dpkg prints, and a kubelet that cannot write ends
 * without a word. So the machine is asked after a failure that this would explain.
 */
import { asRoot, runOverSsh, type SshLogin } from '../ansible/ssh-command.ts';
import { diskFull } from '../causes/node-causes.ts';
import type { StageContext } from '../stage-context.ts';
import type { ErrorDraft } from '../stage-failure.ts';

const explained = new Set([
  'KubeOneFailed',
  'KubeOneTimedOut',
  'NodeTooSlow',
  'PackagesBroken',
  'PackagesInterrupted',
  'ServiceFailed',
]);

/** What is written there: packages, their records, containers, what kubeadm and the kubelet keep. */
const written = '/ /etc /tmp /usr /var /var/lib/containerd /var/lib/dpkg /var/lib/kubelet /var/log';

/** Less than this is full: kB, and files. */
const least = { kilobytes: 1024, files: 16 };

/** The failure with `login`'s full disk as its cause, where it has one and the failure's own words name none. */
export async function withFullDisk(
  context: Pick<StageContext, 'run' | 'runner' | 'workDirectory'>,
  login: SshLogin | undefined,
  failure: ErrorDraft,
): Promise<ErrorDraft> {
  if (login === undefined || !explained.has(failure.code)) return failure;
  // A path that is missing is no failure.
  const command = `df -Pk ${written} 2>/dev/null; echo files; df -Pi ${written} 2>/dev/null; true`;
  const { stdout } = await runOverSsh(context, login, asRoot(login, `sh -c '${command}'`));
  const full = fullDisk(stdout);
  if (full === undefined) return failure;
  const { class: name, code, hint } = diskFull;
  return { class: name, code, hint, resource: login.name, message: `${failure.message}; its disk is full: ${full}` };
}

/** "/var has 12 kB left": the first full file system of `df -Pk`, the line `files` and `df -Pi`; undefined: none, or no such table. */
function fullDisk(tables: string): string | undefined {
  const [sizes = '', files = ''] = tables.slice(0, 20_000).split(/^files$/m);
  const [size] = rowsOf(sizes).filter(({ left }) => left < least.kilobytes);
  if (size !== undefined) return `${size.place} has ${size.left} kB left`;
  const [file] = rowsOf(files).filter(({ left }) => left < least.files);
  return file && `${file.place} has room for ${file.left} more files`;
}

/** Some file systems have no number of files: their total is 0. */
function rowsOf(table: string): readonly { readonly left: number; readonly place: string }[] {
  const rows = table.matchAll(/^\S{1,200} +(\d{1,18}) +\d{1,18} +(\d{1,18}) +\d{1,3}% +(\/[\w./-]{0,100})$/gm);
  return [...rows].flatMap(([, total, left, place = '']) => (Number(total) > 0 ? [{ left: Number(left), place }] : []));
}
