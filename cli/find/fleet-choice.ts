/** Which manifests of the fleet a person asks for, and in which order: the options of `kubeloom get` as the API has them. */
import { FleetQuery } from '#contracts/fleet.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

const Choice = FleetQuery.pick({ state: true, status: true, provider: true, search: true, sort: true }).partial();
type FleetChoice = Partial<Pick<FleetQuery, keyof typeof Choice.shape>>;

export type FleetOptions = { readonly [Name in keyof FleetChoice]?: string };

/** Undefined where nothing is chosen. Throws `CliError` that names the words that there are. */
export function fleetChoice(options: FleetOptions): FleetChoice | undefined {
  const given = Object.keys(Choice.shape).flatMap((name) => {
    const value = options[name as keyof FleetOptions];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (given.length === 0) return undefined;
  const read = Choice.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`);
  throw new CliError(faults.join('; '), exitCodes.usage);
}
