/** Runs commands on the machines of a cluster over SSH, with the pool's own key, as any admin would. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';

const run = promisify(execFile);

export interface Machines {
  /** Standard output of `command` on the node, trimmed. Throws when it fails. */
  ask(node: NodeRow, command: string): Promise<string>;
  /** A port of the node's loopback leads to one of this machine's, until `close`. */
  forward(node: NodeRow, port: number, to: number): Promise<void>;
  /** Forgets the keys. */
  close(): Promise<void>;
}

export interface MachineAccess {
  readonly ssmEndpoint: string;
  /** Access key of the platform: `accessKeyOf(token)`. */
  readonly accessKey: string;
  /** `ssh/<namespace>/<manifest>/<cluster id>` */
  readonly keyPrefix: string;
}

/** Keys are fetched once for each pool and kept in a private directory until `close`. */
export async function openMachines(access: MachineAccess): Promise<Machines> {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-keys-'));
  const ssm = new SSMClient({
    endpoint: access.ssmEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: access.accessKey, secretAccessKey: 'local' },
  });
  const keys = new Map<string, Promise<string>>();
  const fetchKey = async (pool: string): Promise<string> => {
    const { Parameter } = await ssm.send(
      new GetParameterCommand({ Name: `/kubeloom/${access.keyPrefix}/${pool}`, WithDecryption: true }),
    );
    const { privatekey } = JSON.parse(Parameter?.Value ?? '{}') as { privatekey?: string };
    if (!privatekey) throw new Error(`the secret store has no SSH key for pool ${pool}`);
    const file = join(directory, pool);
    await writeFile(file, privatekey, { mode: 0o600 });
    return file;
  };
  const tunnels: ChildProcess[] = [];
  /** Words of ssh before the command. */
  const login = async (node: NodeRow): Promise<readonly string[]> => {
    const pool = poolIdOf(node.name);
    const key = keys.get(pool) ?? fetchKey(pool);
    keys.set(pool, key);
    const options = [
      'StrictHostKeyChecking=no',
      'UserKnownHostsFile=/dev/null',
      'LogLevel=ERROR',
      'IdentitiesOnly=yes',
      'ConnectTimeout=10',
      'ExitOnForwardFailure=yes',
    ];
    return ['-i', await key, ...options.flatMap((option) => ['-o', option]), `root@${node.publicAddress}`];
  };
  return {
    async ask(node, command) {
      const { stdout } = await run('ssh', [...(await login(node)), command], { timeout: 60_000 });
      return stdout.trim();
    },
    async forward(node, port, to) {
      const words = ['-N', '-R', `127.0.0.1:${port}:127.0.0.1:${to}`, ...(await login(node))];
      tunnels.push(spawn('ssh', words, { stdio: 'ignore' }));
    },
    close: () => {
      for (const tunnel of tunnels) tunnel.kill();
      return rm(directory, { recursive: true, force: true });
    },
  };
}

/** `control-1a2b3c4-01` → `control-1a2b3c4`. */
const poolIdOf = (node: string): string => node.replace(/-[0-9a-f]{2}$/, '');

/** Kernel boot id of every existing node, by node name: stays the same exactly as long as a machine is neither replaced nor restarted. */
export async function bootIds(machines: Machines, cluster: ClusterDescription): Promise<ReadonlyMap<string, string>> {
  const pairs = await Promise.all(
    cluster.nodes.map(
      async (node) => [node.name, await machines.ask(node, 'cat /proc/sys/kernel/random/boot_id')] as const,
    ),
  );
  return new Map(pairs);
}
