/** `kubeloom cost [NAME]`: what the machines of manifests cost a month, by list prices. */
import type { Command } from 'commander';
import { cliClient } from '../connection/api-client.ts';
import { allManifests, ofEach, ofManifest } from '../find/find-manifest.ts';
import { shortName } from '../manifest-name.ts';
import { jsonOption, onlyNamespace } from '../options.ts';
import { costLines } from '../print/cost-lines.ts';
import { paint, print, printJson, printWrapped } from '../print/output.ts';

export function registerCost(program: Command): void {
  program
    .command('cost [name]')
    .description('what the machines of a manifest cost a month, by list prices; without NAME, of all')
    .addOption(onlyNamespace('namespace of NAME, or only this one'))
    .addOption(jsonOption())
    .action(async (name: string | undefined, { namespace, json }: { namespace?: string; json?: boolean }) => {
      const api = cliClient();
      // The plan of what is stored has the price of what exists and of what is desired.
      const plans =
        name === undefined
          ? await ofEach(await allManifests(api, namespace), (key) => api.planManifest(key))
          : [await ofManifest(api, { name, namespace }, (key) => api.planManifest(key))];
      if (json)
        return printJson(
          plans.map(({ namespace: of, name: one, costOfMonth = null }) => ({ namespace: of, name: one, costOfMonth })),
        );
      if (plans.length === 0) print('no manifests');
      for (const plan of plans) {
        print(paint('bold', shortName(plan)));
        if (plan.costOfMonth) for (const line of costLines(plan.costOfMonth)) printWrapped(`  ${line}`, 6);
        else print('  no machine of it has a price');
      }
    });
}
