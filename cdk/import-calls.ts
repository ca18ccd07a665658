/** How much an import of a bundle does, in a measure that is the same on every machine, however busy. */
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const program = `
const { Session } = await import('node:inspector/promises');
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await import(process.argv[1]);
const { result } = await session.post('Profiler.takePreciseCoverage');
const functions = result.filter(({ url }) => url.startsWith('file:')).flatMap((file) => file.functions);
const calls = functions.reduce((sum, { ranges }) => sum + ranges[0].count, 0);
process.stdout.write(String(calls), () => process.exit());
`;

/** The number of calls of functions of the bundle, those of Node left out, in a process that has nothing else. */
export async function callsOfImport(file: string): Promise<number> {
  const given = ['--input-type=module', '-e', program, pathToFileURL(file).href];
  const { stdout } = await promisify(execFile)(process.execPath, given, { env: { AWS_REGION: 'eu-central-1' } });
  return Number(stdout);
}
