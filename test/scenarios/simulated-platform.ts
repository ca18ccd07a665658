/**
 * A platform in this process with the sim runner. Its functions have their stores in memory, unless it has a directory; on CI those of
 * the platform.
 */
import { useDeps, wire } from '#functions/wire.ts';
import { type Platform, type PlatformOptions, startPlatform } from '#local/platform.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { inMemoryStores } from '#test/fakes/fake-deps.ts';

export async function startSimulatedPlatform(options: Partial<PlatformOptions> = {}): Promise<Platform> {
  const { inMemory = true, ...others } = options;
  const platform = await startPlatform({ inMemory, runner: 'sim', apiPort: 0, graceMs: 100, ...others });
  // Requests to the platform's stores, and their signatures, are most of what a run costs here. CI makes them.
  if (inMemory && process.env.CI !== 'true') useDeps(boundedFunctions({ ...wire(), ...inMemoryStores() }));
  const stop = async () => {
    await platform.stop();
    useDeps(undefined);
  };
  return { ...platform, stop };
}
