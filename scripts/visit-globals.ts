// A transform of the AssemblyScript compiler: its visitor of globals compares each one with null before it calls the collector, which
// does so itself (filter/memory/collector.ts). Without the comparison a global takes 5 bytes of code instead of 13.
import binaryen from "binaryen";
import { Transform } from "assemblyscript/transform";

const VISITOR = "~lib/rt/__visit_globals";

type Expression = binaryen.ExpressionRef;

// A default export, because the compiler asks for one.
export default class VisitGlobals extends Transform {
  override afterCompile(module: binaryen.Module): void {
    const visitor = binaryen.getFunctionInfo(module.getFunction(VISITOR));
    const { children } = infoOf<binaryen.BlockInfo>(visitor.body);
    const visits = children.map((visit) => withoutComparison(module, visit));
    module.removeFunction(VISITOR);
    const body = module.block(null, visits);
    module.addFunction(VISITOR, visitor.params, visitor.results, visitor.vars, body);
  }
}

/** `if (local = global) visit(local)` becomes `visit(global)`; constants are visited so already. */
function withoutComparison(module: binaryen.Module, visit: Expression): Expression {
  const { id } = binaryen.getExpressionInfo(visit);
  if (id === binaryen.CallId) return visit;
  if (id !== binaryen.IfId) throw new Error(`${VISITOR} has another form than expected`);
  const { condition, ifTrue } = infoOf<binaryen.IfInfo>(visit);
  const { value } = infoOf<binaryen.LocalSetInfo>(condition);
  const { target, operands, type } = infoOf<binaryen.CallInfo>(ifTrue);
  return module.call(target, [value, ...operands.slice(1)], type);
}

function infoOf<Info extends binaryen.ExpressionInfo>(expression: Expression): Info {
  return binaryen.getExpressionInfo(expression) as Info;
}
