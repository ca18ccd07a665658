/** The fakes keep the promises of the ports. */
import { InMemoryArtifacts, InMemorySecrets, InMemoryTemplates } from '#test/fakes/in-memory-artifacts.ts';
import { InMemoryClusters } from '#test/fakes/in-memory-clusters.ts';
import { InMemoryDemands } from '#test/fakes/in-memory-demands.ts';
import { InMemoryInventory } from '#test/fakes/in-memory-inventory.ts';
import { InMemoryManifests } from '#test/fakes/in-memory-manifests.ts';
import { InMemoryRepairBudget } from '#test/fakes/in-memory-repair-budget.ts';
import { InMemoryRollOuts } from '#test/fakes/in-memory-roll-outs.ts';
import { InMemoryEvents, InMemoryRuns } from '#test/fakes/in-memory-runs.ts';
import { clusterStoreContract } from './cluster-store.contract.ts';
import { demandStoreContract } from './demand-store.contract.ts';
import { artifactsContract, secretStoreContract, templateReferenceStoreContract } from './document-stores.contract.ts';
import { eventStoreContract, runStoreContract } from './history-stores.contract.ts';
import { inventoryStoreContract } from './inventory-store.contract.ts';
import { manifestStoreContract } from './manifest-store.contract.ts';
import { repairBudgetContract } from './repair-budget.contract.ts';
import { rollOutStoreContract } from './roll-out-store.contract.ts';

manifestStoreContract('in memory', () => new InMemoryManifests());
clusterStoreContract('in memory', () => new InMemoryClusters());
demandStoreContract('in memory', () => new InMemoryDemands());
repairBudgetContract('in memory', () => new InMemoryRepairBudget());
runStoreContract('in memory', () => new InMemoryRuns());
eventStoreContract('in memory', () => new InMemoryEvents());
artifactsContract('in memory', () => new InMemoryArtifacts());
rollOutStoreContract('in memory', () => new InMemoryRollOuts());
inventoryStoreContract('in memory', () => new InMemoryInventory());
secretStoreContract('in memory', () => new InMemorySecrets());
templateReferenceStoreContract('in memory', () => new InMemoryTemplates());
