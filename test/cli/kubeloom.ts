/** The command line in this process: most tests ask what a command prints, and a process for each answer takes its time. */
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '#cli/command-line.ts';
import { useContext } from '#cli/connection/connection.ts';
import { environmentOfTests, type Outcome } from './kubeloom-process.ts';
import { remember } from './last-command.ts';

export interface Invocation {
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

let busy: string | undefined;

/**
 * Runs a command as `kubeloom-process.ts` does, but in this process: one at a time, since standard streams, environment and exit code
 * are the process's. For Ctrl-C, a terminal, and commands that start a platform, take a process.
 */
export async function kubeloom(args: readonly string[], invocation: Invocation = {}): Promise<Outcome> {
  const text = args.join(' ');
  if (busy !== undefined) throw new Error(`kubeloom ${text}: \`kubeloom ${busy}\` has not ended`);
  busy = text;
  const stdout = collector();
  const stderr = collector();
  const variables = { ...environmentOfTests, ...invocation.environment };
  const restore = [
    replaceEnvironment(variables),
    replaceStream('stdin', Readable.from([Buffer.from(invocation.stdin ?? '')])),
    replaceStream('stdout', stdout),
    replaceStream('stderr', stderr),
  ];
  const code = process.exitCode;
  process.exitCode = undefined;
  try {
    await runCommandLine(args);
    return remember(args, { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() });
  } finally {
    process.exitCode = code;
    for (const undo of restore) undo();
    // A process would forget its option `--context`.
    useContext(undefined);
    busy = undefined;
  }
}

type Collector = Writable & { text(): string };

function collector(): Collector {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      pieces.push(piece);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(pieces).toString() });
}

function replaceStream(name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => void (before && Object.defineProperty(process, name, before));
}

/** Only the given variables are restored: a platform of the test may set its own at any time. */
function replaceEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
