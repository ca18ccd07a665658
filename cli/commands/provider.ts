/** `kubeloom provider …`: what types there are, and whether the modules of one keep the contract. */
import type { Command } from 'commander';
import { registerProviderCheck } from './provider-check.ts';
import { registerProviderList } from './provider-list.ts';
import { registerProviderTest } from './provider-test.ts';

export function registerProvider(program: Command): void {
  const provider = program.command('provider').description('provider types, their modules and their credentials');
  registerProviderList(provider);
  registerProviderTest(provider);
  registerProviderCheck(provider);
}
