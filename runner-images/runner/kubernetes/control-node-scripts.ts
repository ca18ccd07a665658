/** Scripts of ours on the control nodes of a cluster, over SSH: what they have, and a renewal of their certificates. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterState } from '#domain/cluster-state.ts';
import { certificateFiles } from '#domain/expiry.ts';
import { apiPort } from '#domain/manifest/schema/load-balancers.ts';
import { factLines, type ReadFacts, readMachineFacts } from '#domain/observed/machine-facts.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { asRoot, inputShell, runOverSsh, type SshLogin, sshLoginOf } from '../ansible/ssh-command.ts';
import { filesOf, protocol } from '../machines/machine-script.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import type { ContextOf } from '../stage-context.ts';
import { membersOf } from './members.ts';

/** The files of each question, after `protocol`; those of `certificates` are in `filesOf`. */
export const controlNodeFiles = {
  ready: ['api-ready.sh'],
  renewal: ['api-ready.sh', 'renew-certificates.sh'],
} as const;

/** What is read of one answer: certificates have some 50 KB. */
const mostCharacters = 1_000_000;
/** Four containers that are waited for, and twice an API server: six minutes each at most. */
const renewalMs = 40 * 60_000;
/** As in `renew-certificates.sh`. */
const readyMs = 8 * 60_000;

export interface ControlNode {
  readonly name: string;
  /** Its certificates, and whether a renewal was interrupted; `problem`: why that is not known. */
  readonly certificates: () => Promise<ReadFacts>;
  /** Undefined when its API server is ready, else why it is not. */
  readonly notReady: () => Promise<string | undefined>;
  /** The same, but that it may take six minutes. */
  readonly neverReady: () => Promise<string | undefined>;
  /** Undefined when it has renewed all and restarted what uses it, else what failed. `waits`: each part has to be ready before the next. */
  readonly renew: (waits: boolean) => Promise<string | undefined>;
  /** The file as it is there; undefined: it was not read. */
  readonly read: (file: string, limit: number) => Promise<string | undefined>;
}

/** Each control node once, in the order of the state. */
export async function controlNodes(
  context: ContextOf<'kubeone'>,
  state: ClusterState,
): Promise<readonly ControlNode[]> {
  const members = membersOf(state).filter(({ pool }) => pool.role === 'control');
  const holders = members.map((member) => ({ ...member, clusterId: state.id }));
  const keyDirectory = await writeSshKeyFiles(context, holders);
  const folder = join(context.templatesDirectory, 'ansible/files');
  const text = async (...names: readonly string[]) =>
    (await Promise.all([protocol, ...names].map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
  const [certificates, ready, renewal] = await Promise.all([
    text(...filesOf.certificates),
    text(...controlNodeFiles.ready),
    text(...controlNodeFiles.renewal),
  ]);
  return members.map((member): ControlNode => {
    const login = sshLoginOf(member, context.facts.current, keyDirectory);
    const port = `KUBELOOM_API_PORT=${apiPort}`;
    return {
      name: login.name,
      async certificates() {
        const files = `KUBELOOM_CERTIFICATES='${certificateFiles.control.join(' ')}'`;
        const { fault, lines } = await runScript(context, login, `${files}\n${certificates}`);
        return fault === undefined ? readMachineFacts(factLines(lines)) : { problem: fault };
      },
      async notReady() {
        const script = `${port}\n${ready}\napi_ready || die '${silent}'\n`;
        return (await runScript(context, login, script)).fault;
      },
      async neverReady() {
        const wait = `for _ in $(seq 360); do ! api_ready || exit 0; sleep 1; done; die '${silent}'`;
        return (await runScript(context, login, `${port}\n${ready}\n${wait}\n`, readyMs)).fault;
      },
      async renew(waits) {
        const script = `${port} KUBELOOM_WAIT=${waits ? 'yes' : 'no'} KUBELOOM_NODE='${login.name}'\n${renewal}`;
        return (await runScript(context, login, script, renewalMs)).fault;
      },
      async read(file, limit) {
        const { code, stdout } = await runOverSsh(context, login, asRoot(login, `head -c ${limit + 1} ${file}`));
        return code === 0 ? stdout : undefined;
      },
    };
  });
}

const silent = 'its API server does not answer, or is not ready';

/** Its lines, and what went wrong, as the end of a sentence about the machine. */
async function runScript(
  context: ContextOf<'kubeone'>,
  login: SshLogin,
  script: string,
  totalMs?: number,
): Promise<{ readonly lines: readonly string[]; readonly fault: string | undefined }> {
  const lines: string[] = [];
  let characters = 0;
  const { code, stderr } = await runOverSsh(context, login, asRoot(login, inputShell), {
    input: script,
    ...(totalMs !== undefined && { totalMs }),
    onOutput: (line) => {
      characters += line.length;
      if (characters <= mostCharacters) lines.push(line);
    },
  });
  if (characters > mostCharacters) return { lines: [], fault: 'it printed more than is read' };
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return { lines, fault: code === 0 ? undefined : printableText(last, 400) || `it ended with exit code ${code}` };
}
