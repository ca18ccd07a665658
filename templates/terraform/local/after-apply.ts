/** Hook of the runner: Terraform forgets tainted hosts without their destroy provisioner; hosts that it does not know are removed here. */
import { reconcile } from './reconcile.ts';

reconcile();
