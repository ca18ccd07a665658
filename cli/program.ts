/** Every command and its options; `main.ts` runs it, tests compare it with docs/cli.md. */
import { Command } from 'commander';
import { registerApply } from './commands/apply.ts';
import { registerChanges } from './commands/changes.ts';
import { registerDelete } from './commands/delete.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerEvents } from './commands/events.ts';
import { registerInspect } from './commands/inspect.ts';
import { registerKubeconfig } from './commands/kubeconfig.ts';
import { registerLocal } from './commands/local.ts';
import { registerLogs } from './commands/logs.ts';
import { registerPlan } from './commands/plan.ts';
import { registerProvider } from './commands/provider.ts';
import { registerRoles } from './commands/roles.ts';
import { registerSecrets } from './commands/secrets.ts';
import { registerService } from './commands/service.ts';
import { registerSimulate } from './commands/simulate.ts';
import { registerTemplates } from './commands/templates.ts';
import { registerValidate } from './commands/validate.ts';
import { registerVerbs } from './commands/verbs.ts';
import { registerWhoAmI } from './commands/whoami.ts';
import { packageVersion } from './package-version.ts';

/** The command line, ready to parse. */
export function kubeloomProgram(): Command {
  const program = new Command('kubeloom')
    .description('Kubernetes clusters that span clouds, data centres and accounts, from one manifest')
    .version(packageVersion(), '-V, --version')
    .showHelpAfterError('(add --help for all options)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 fault, 2 usage, 3 invalid input, 4 not found, 5 conflict, 6 run failed, 7 nothing answers, 8 not allowed.',
    );

  for (const register of [
    registerApply,
    registerValidate,
    registerPlan,
    registerSimulate,
    registerInspect,
    registerEvents,
    registerLogs,
    registerKubeconfig,
    registerVerbs,
    registerDelete,
    registerWhoAmI,
    registerSecrets,
    registerTemplates,
    registerRoles,
    registerChanges,
    registerLocal,
    registerProvider,
    registerDoctor,
    registerService,
  ]) {
    register(program);
  }
  return program;
}
