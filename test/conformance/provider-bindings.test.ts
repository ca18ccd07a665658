/**
 * The committed bindings, which fixtures that people read are held against, are what their packages say. The packages come from
 * PyPI, once, as archives: nothing of them is installed or run.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bindingsFile, bindingsText, makeBindings } from '../../scripts/provider-schemas/bridge/make-bindings.ts';
import { bridgePackages } from '../../scripts/provider-schemas/bridge/packages.ts';
import { cacheDirectory } from '../../scripts/provider-schemas/plugins.ts';

it.each(Object.keys(bridgePackages))(
  '%s: run node scripts/provider-schemas/bridge/generate.ts when it is not',
  (type) => {
    const packages = join(cacheDirectory(), 'bindings');
    mkdirSync(packages, { recursive: true });
    expect(bindingsText(makeBindings(type, packages))).toBe(readFileSync(bindingsFile(type), 'utf8'));
  },
  300_000,
);
