/** Hook of the runner: finds hosts that the machine has lost, for a check that changes nothing. */
import { reconcile } from './reconcile.ts';

reconcile('inspect');
