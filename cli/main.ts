/** The command line: commands, help, and what errors look like. Work is done behind the API or in the domain. */
import { Command, CommanderError } from 'commander';
import { registerApply } from './commands/apply.ts';
import { registerDelete } from './commands/delete.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerInspect } from './commands/inspect.ts';
import { registerLocal } from './commands/local.ts';
import { registerLogs } from './commands/logs.ts';
import { registerPlan } from './commands/plan.ts';
import { packageVersion, registerService } from './commands/service.ts';
import { registerSimulate } from './commands/simulate.ts';
import { registerValidate } from './commands/validate.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { note, paint } from './output.ts';

const program = new Command('kubeloom')
  .description('Kubernetes clusters that span clouds, data centres and accounts, from one manifest')
  .version(packageVersion(), '-V, --version')
  .showHelpAfterError('(add --help for all options)')
  .exitOverride()
  .addHelpText(
    'after',
    '\nExit codes: 0 ok, 1 fault, 2 usage, 3 invalid input, 4 not found, 5 conflict, 6 run failed, 7 nothing answers.',
  );

for (const register of [
  registerApply,
  registerValidate,
  registerPlan,
  registerSimulate,
  registerInspect,
  registerLogs,
  registerDelete,
  registerLocal,
  registerDoctor,
  registerService,
]) {
  register(program);
}

process.on('SIGINT', () => process.exit(exitCodes.interrupted));
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : exitCodes.fault),
);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}

/** Says what went wrong in the words of the thing that failed; only faults of our own come with a stack. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof CliError) {
    note(`${paint('red', 'kubeloom:')} ${error.message}`);
    return error.exitCode;
  }
  note(`${paint('red', 'kubeloom:')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return exitCodes.fault;
}
