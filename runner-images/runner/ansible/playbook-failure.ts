/** Classifies a failed playbook: what our own scripts report here, what machines say in the table that all tools share. Pure. */
import type { PlaybookEvent } from '#domain/observed/playbook-event.ts';
import { counted } from '#domain/words.ts';
import { type CauseRow, matchable, oneLine, rowFor } from '../causes/cause-row.ts';
import { nodeRow } from '../causes/node-causes.ts';
import { unknownOfNode } from '../causes/unknown-answers.ts';
import type { ErrorDraft } from '../stage-failure.ts';

/** What our scripts say. First match wins. */
const ours: readonly CauseRow[] = [
  {
    class: 'user',
    pattern: /the machine did not become healthy within/i,
    hint: 'A check of `health` fails on this machine after its set-up, so it gets no traffic and no other machine follows. Correct the checks, `boot` or the image of its group.',
  },
  {
    class: 'user',
    pattern: /WireGuard does not start.{0,2000}(unknown device type|(operation|protocol) not supported)/i,
    hint: 'The kernel that runs on this machine has no WireGuard, or was replaced and waits for a restart: restart the machine, or choose an image with Linux 5.6 or newer.',
  },
];
const bootScript: CauseRow = {
  class: 'user',
  pattern: /the boot script (ended with|was stopped)/i,
  hint: 'The log of the stage has the last lines of the script, and the machine has it as /var/lib/kubeloom/boot.sh. Correct `boot` of its group.',
};
/** A busy machine may start it a moment later; of a broken one a grow is undone, and the next attempt has another machine. */
const wireguard: CauseRow = {
  class: 'transient',
  pattern: /WireGuard does not start/,
  hint: 'If it stays, see `journalctl -u wg-quick@wg0` on the machine.',
};
/** Ansible itself, on the machine of the runner. */
const ofRunner: CauseRow = {
  class: 'platform',
  pattern:
    /no space left|cannot allocate memory|out of memory|memoryerror|dead state|can't start new thread|resource temporarily unavailable|(?:^|[ :])killed\b|errno (?:11|12|23|24|28)\b|too many open files|a worker was found|read-only file system/i,
  hint: 'Ansible did not have enough memory, disk or processes where it runs: give the runner more. Nothing is wrong with the nodes.',
};

type Failed = Extract<PlaybookEvent, { event: 'failed' | 'unreachable' }>;

/** `refused`: the host answered what our scripts do not print. */
export type HostTrouble = Omit<Failed, 'event'> & { readonly event: Failed['event'] | 'refused' };

/**
 * The error of a playbook run. A host that was not reached is the cause of errors on other hosts, so it is
 * named first.
 */
export function playbookError(troubles: readonly HostTrouble[], fallback: string): ErrorDraft {
  const real = troubles.filter(({ ignored }) => !ignored);
  const chosen = real.find(({ event }) => event === 'unreachable') ?? real[0];
  if (chosen === undefined) return withoutHost(fallback);
  const others = new Set(real.map(({ host }) => host)).size - 1;
  const more = others > 0 ? ` (and ${counted(others, 'more node')})` : '';
  const { host, task } = chosen;
  const words = causeOf(chosen.message);
  if (chosen.event === 'unreachable') {
    const row = nodeRow([chosen.message]);
    const refuses = row?.class === 'credentials' || row?.code === 'HostKeyChanged' ? row : undefined;
    return {
      class: refuses?.class ?? 'transient',
      code: refuses?.code ?? 'HostUnreachable',
      message: `${host} was not reached over SSH: ${words}${more}`,
      resource: host,
      hint: refuses?.hint ?? 'Check that the machine runs and that its SSH port is open.',
    };
  }
  if (chosen.event === 'refused') {
    return {
      class: 'user',
      code: 'MachineAnswerRefused',
      message: `The answer of ${host} was refused: ${words}${more}`,
      resource: host,
      hint: 'Nothing of the answer was used. Look at the machine: another program answers in place of our scripts. If no one knows why, replace the machine.',
    };
  }
  const meaning: Found = meaningOf(chosen.message) ?? unknownOfNode;
  const { code = 'NodeConfigurationFailed', class: kind, hint, retryable } = meaning;
  return {
    class: kind,
    code,
    message: `${host}, ${task}: ${words}${more}`,
    resource: host,
    hint,
    ...(retryable === false && { retryable }),
  };
}

function withoutHost(fallback: string): ErrorDraft {
  const row = rowFor([ofRunner], [fallback]);
  return {
    class: row?.class ?? 'bug',
    code: 'PlaybookFailed',
    message: oneLine(fallback) || 'Ansible failed without any output.',
    hint: row?.hint ?? 'Ansible itself failed. Report it with the log of the stage.',
  };
}

interface Found extends Pick<ErrorDraft, 'class' | 'hint' | 'retryable'> {
  readonly code?: string;
}

function meaningOf(message: string): Found | undefined {
  const own = rowFor(ours, [message]);
  if (own !== undefined) return own;
  const said = nodeRow([message]);
  // A script that failed only because of the network is retried.
  const temporary = said?.class === 'transient' && said.code === 'NodeNetworkFailed';
  if (bootScript.pattern.test(matchable(message))) return temporary ? said : bootScript;
  if (wireguard.pattern.test(message) && said?.code !== 'AddressInUse') return wireguard;
  return said;
}

/** The words of the cause without the trace of a script in front of them. */
function causeOf(message: string): string {
  const lines = message.split('\n');
  const said = lines.slice(lines.findLastIndex((line) => /^\++ /.test(line)) + 1);
  return oneLine((said.some((line) => line.trim() !== '') ? said : lines).join('\n'));
}
