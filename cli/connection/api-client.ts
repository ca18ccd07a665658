/** The client of the API for commands: finds the connection, says where faults are in files, turns errors into ones for people. */
import { apiClient as client, type ManifestName, type PendingOptions, type PlanRequest } from '#client/api-client.ts';
import { located } from '../print/faults.ts';
import { note } from '../print/output.ts';
import { forPerson } from './api-problem.ts';
import { type CliConnection, findConnection } from './connection.ts';

export type { ManifestName, PlanRequest, PutCondition } from '#client/api-client.ts';
export { itemsOf } from '#client/api-client.ts';

export type CliClient = ReturnType<typeof cliClient>;

/** Every function throws `ApiProblem` for 4xx and 5xx, `CliError` when nothing answers. */
export function cliClient(connection: CliConnection = findConnection(), pending: PendingOptions = {}) {
  const onWait = (sentence: string): void => note(`${sentence}; waiting for it`);
  const api = withErrorsForPeople(client(connection, { onWait, ...pending }), connection);
  return {
    ...api,
    putManifest: async (...[key, document, condition]: Parameters<typeof api.putManifest>) => {
      const accepted = await api.putManifest(key, document, condition);
      return { ...accepted, warnings: located(document, accepted.warnings) };
    },
    planManifest: async (key: ManifestName, request: PlanRequest = {}) => {
      const report = await api.planManifest(key, request);
      const { faults, warnings } = report;
      return { ...report, faults: located(request.document, faults), warnings: located(request.document, warnings) };
    },
    validate: async (documents: readonly unknown[]) => {
      const report = await api.validate(documents);
      return report.documents.map(({ faults }, index) => ({ faults: located(documents[index], faults) }));
    },
  };
}

type Calls = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;

/** The same functions; what they throw is for the person at the terminal. */
function withErrorsForPeople<Client extends Calls>(calls: Client, connection: CliConnection): Client {
  const wrapped = Object.entries(calls).map(([id, call]) => [
    id,
    (...given: never[]) =>
      call(...given).catch((error: unknown) => {
        throw forPerson(error, connection);
      }),
  ]);
  return Object.fromEntries(wrapped) as Client;
}
