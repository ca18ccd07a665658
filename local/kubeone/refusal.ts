/** How KubeOne ends when it refuses: an exit code for each kind, and messages as in its source. */

export class KubeOneRefusal extends Error {
  override readonly name = 'KubeOneRefusal';
  readonly exitCode: number;

  /** `message`: all that follows `Error: `. */
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Faults of the manifest, or of what it requests of this cluster. `doing`: "validation". */
export function configurationRefusal(doing: string, ...problems: readonly string[]): KubeOneRefusal {
  return new KubeOneRefusal(15, [`configuration ${doing}`, ...problems].join('\n'));
}

/** Faults of the machine that runs KubeOne. `doing`: "reading cluster configuration". */
export function runtimeFailure(doing: string, problem: string): KubeOneRefusal {
  return new KubeOneRefusal(10, `runtime: ${doing}\n${problem}`);
}

/** A command without confirmation and without a terminal. */
export const notConfirmed = runtimeFailure('terminal detecting', 'not running in the terminal');

/** Hosts that SSH does not reach; KubeOne says this of one of them, after ten tries in eight minutes. `endpoint`: address and port. */
export function unreachable(endpoint: string, words: string): KubeOneRefusal {
  const address = endpoint.replace(/:\d+$/, '');
  return runtimeFailure(
    'detecting hostname',
    `runtime: running task on "${address}"\nssh: dialing\nconnection to: ${endpoint}\n${words}`,
  );
}

/** A command that failed on a host: the causes, the whole command, and after `stderr: ` the words of the host. */
export function commandFailure(address: string, code: number | null, command: string, stderr: string): KubeOneRefusal {
  const steps = [`runtime: running task on "${address}"`, 'ssh: running the simulated control plane', 'ssh: exec'];
  const words = stderr === '' ? [] : [`stderr: ${stderr.trimEnd()}`];
  const lines = [...steps, 'ssh: popen', `Process exited with status ${code ?? 'unknown'}`, command, ...words];
  return runtimeFailure('ensuring nodes', lines.join('\n'));
}
