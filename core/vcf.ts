/** Door `trefoil/vcf`: what programs that read VCF files have in common, besides `openSource` and `blocks` of `trefoil/files`. */

export {
  bases,
  type Extent,
  endOfStructural,
  infoValue,
  isAmbiguous,
  isBreakend,
  isPlaceholder,
  isWithin,
  kindOfStructural,
  noStructuralInfo,
  type OtherEnd,
  otherEnd,
  referenceBases,
  repeatLength,
  repeatUnits,
  type StructuralInfo,
  statedLength,
  structuralInfo,
  structuralTypes,
  symbol,
  typeNamed,
  typesWithin,
} from './vcf/alleles.js';
export { BuildSigns, Header, OtherAssembly } from './vcf/header.js';
