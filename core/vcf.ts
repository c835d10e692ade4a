/** Door `trefoil/vcf`: what programs that read VCF files have in common, besides `openSource` and `blocks` of `trefoil/files`. */

export {
  type Extent,
  endOfStructural,
  isBreakend,
  isPlaceholder,
  type OtherEnd,
  otherEnd,
  statedLength,
  symbol,
} from './vcf/alternate.js';
export { BuildSigns } from './vcf/build.js';
export { Header, OtherAssembly } from './vcf/header.js';
export { infoValue, noStructuralInfo, type StructuralInfo, structuralInfo } from './vcf/info.js';
export { bases, isAmbiguous, referenceBases } from './vcf/sequence.js';
export { isWithin, kindOfStructural, structuralTypes, typeNamed, typesWithin } from './vcf/types.js';
