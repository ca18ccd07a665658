/**
 * Test files share a process: starting one for each, and loading the same modules into it, took longer than most of their tests. What
 * a file changes of the process is restored after it: the environment, the clock and globals. It restores mocks of clients itself.
 */
import { afterAll, afterEach, vi } from 'vitest';
import { reportLastCommand } from './cli/last-command.ts';

const before = { ...process.env };
const directory = process.cwd();

afterEach(({ task }) => reportLastCommand(task.name, task.result?.state === 'fail'));

afterAll(async () => {
  // Injected faults are counted for the life of a process.
  if (process.env.KUBELOOM_SIM_FAULTS !== undefined) (await import('#runner/sim/injected-faults.ts')).forgetFaults();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  process.chdir(directory);
});
