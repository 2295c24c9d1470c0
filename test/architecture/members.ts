/** Members of the types that the package exports, and those that no comment describes. */
import { relative } from 'node:path';
import ts from 'typescript-5.9';

export interface Members {
  readonly count: number;
  /** `PATH: Type.member`, sorted. */
  readonly undescribed: readonly string[];
}

/** Follows all types that the entries export, through the types of their members. `entries`: paths within `root`. */
export function membersOf(root: string, entries: readonly string[]): Members {
  const options: ts.CompilerOptions = {
    allowImportingTsExtensions: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
  };
  const program = ts.createProgram(
    entries.map((entry) => `${root}${entry}`),
    { ...options, target: ts.ScriptTarget.ESNext, types: [], noLib: true },
  );
  const walk = new Walk(root, program.getTypeChecker());
  for (const entry of entries) walk.entry(program.getSourceFile(`${root}${entry}`));
  return { count: walk.count, undescribed: walk.undescribed.toSorted() };
}

class Walk {
  readonly #root: string;
  readonly #checker: ts.TypeChecker;
  readonly #seen = new Set<ts.Declaration>();
  readonly undescribed: string[] = [];
  count = 0;

  constructor(root: string, checker: ts.TypeChecker) {
    this.#root = root;
    this.#checker = checker;
  }

  entry(file: ts.SourceFile | undefined): void {
    const module = file === undefined ? undefined : this.#checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error('an entry exports nothing');
    for (const symbol of this.#checker.getExportsOfModule(module)) this.#visit(symbol);
  }

  #visit(symbol: ts.Symbol | undefined): void {
    if (symbol === undefined) return;
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const real = isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of real.declarations ?? []) this.#declaration(declaration);
  }

  #declaration(declaration: ts.Declaration): void {
    if (this.#seen.has(declaration)) return;
    this.#seen.add(declaration);
    const path = relative(this.#root, declaration.getSourceFile().fileName);
    if (path.startsWith('..') || path.startsWith('node_modules')) return;
    if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) this.#members(declaration, path);
    ts.forEachChild(declaration, (child) => this.#types(child));
  }

  #members(type: ts.InterfaceDeclaration | ts.ClassDeclaration, path: string): void {
    const described = type.members.filter((member) => isPublic(member));
    this.count += described.length;
    for (const member of described)
      if (ts.getJSDocCommentsAndTags(member).length === 0)
        this.undescribed.push(`${path}: ${type.name?.text ?? ''}.${member.name?.getText() ?? ''}`);
  }

  /** Bodies of functions are not part of a type. */
  #types(node: ts.Node): void {
    if (ts.isBlock(node)) return;
    if (ts.isTypeReferenceNode(node)) this.#visit(this.#checker.getSymbolAtLocation(node.typeName));
    if (ts.isExpressionWithTypeArguments(node)) this.#visit(this.#checker.getSymbolAtLocation(node.expression));
    ts.forEachChild(node, (child) => this.#types(child));
  }
}

function isPublic(member: ts.TypeElement | ts.ClassElement): boolean {
  if (ts.isPropertySignature(member) || ts.isMethodSignature(member)) return true;
  const isMember = ts.isPropertyDeclaration(member) || ts.isMethodDeclaration(member) || ts.isGetAccessor(member);
  if (!isMember || !ts.isIdentifier(member.name)) return false;
  return (ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Static)) === 0;
}
