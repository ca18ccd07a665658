/** The command line as a process: where programs are found, signals, and output that no one reads any more. */
import { delimiter, join } from 'node:path';
import { runCommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { listenToInterrupts } from './interrupt.ts';
import { kubeloomHome } from './own-files.ts';

// scripts/setup.sh installs programs there that the machine lacks or has in too old a version.
process.env.PATH = `${join(kubeloomHome(), 'bin')}${delimiter}${process.env.PATH ?? ''}`;
listenToInterrupts();
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : exitCodes.fault),
);

const words = process.argv.slice(2);
await runCommandLine(words);
// A shell waits for the words, and an answer of the API that is late is of no use to it.
if (words[0] === '__complete') process.exit();
