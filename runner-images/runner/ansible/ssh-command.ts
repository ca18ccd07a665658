/** One command on one machine over SSH. */
import { join } from 'node:path';
import type { ClusterFacts, NodePoolState, NodeState } from '#domain/cluster-state.ts';
import { publicAddressOf, sshKeyFileOf, sshPortOf, sshUserOf } from '#rendering/node-access.ts';
import { type CommandResult, complaintsOnly } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import type { SshTarget } from './ssh-banner.ts';

export interface SshLogin extends SshTarget {
  readonly keyFile: string;
  /** @default root */
  readonly user?: string;
}

export interface SshOptions {
  /** The command is stopped after this long. @default 1 min */
  readonly totalMs?: number;
  /** What the command reads. @default nothing */
  readonly input?: string;
  /** Sees each line of its output as it comes: also what it says before its time is up. */
  readonly onOutput?: (line: string) => void;
}

/** How to log in on a node; its key is in `keyDirectory`. */
export function sshLoginOf(
  { node, pool }: { readonly node: NodeState; readonly pool: NodePoolState },
  facts: ClusterFacts,
  keyDirectory: string,
): SshLogin {
  return {
    name: node.name,
    host: publicAddressOf(node, facts),
    port: sshPortOf(node, pool, facts),
    user: sshUserOf(node),
    keyFile: sshKeyFileOf(node, pool, keyDirectory),
  };
}

/** The command as root; a user of its own needs `sudo` without a password. */
export const asRoot = ({ user = 'root' }: SshLogin, command: string): string =>
  `${user === 'root' ? '' : 'sudo -H -n '}${command}`;

/** The script travels over stdin, since one argument of ssh holds 128 KB at most. All of it is read before its first command runs. */
export const inputShell = `/bin/bash -c 'eval "$(cat)"'`;

/** Exit code and output of a command of the shell; 255 when the machine was not reached or kept the connection without an answer. */
export function runOverSsh(
  { run, runner, workDirectory }: Pick<StageContext, 'run' | 'runner' | 'workDirectory'>,
  { name, host, port, keyFile, user = 'root' }: SshLogin,
  command: string,
  { totalMs = 60_000, input, onOutput }: SshOptions = {},
): Promise<CommandResult> {
  const options = {
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    ConnectTimeout: '10',
    // The connection to a machine that dies meanwhile ends after half a minute.
    ServerAliveInterval: '5',
    ServerAliveCountMax: '6',
    StrictHostKeyChecking: 'accept-new',
    // Clouds reuse addresses: host keys are remembered for this stage only.
    UserKnownHostsFile: join(workDirectory, `known_hosts-${name}`),
    GlobalKnownHostsFile: '/dev/null',
    LogLevel: 'ERROR',
  };
  return run({
    label: `ssh ${name}`,
    program: runner.ssh,
    args: [
      ...['-F', '/dev/null', '-i', keyFile, '-p', String(port)],
      ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
      // A user whose name begins with a dash is no option.
      ...['-l', user, '--', host, command],
    ],
    ...(input !== undefined && { input }),
    totalMs,
    onLine(line, stream) {
      if (stream === 'stdout') onOutput?.(line);
      return complaintsOnly(line, stream);
    },
  }).catch((error: unknown) => {
    if (!(error instanceof StageFailure) || error.error.code !== 'ToolTooSlow') throw error;
    return { code: 255, stdout: '', stderr: 'the connection timed out' };
  });
}
