//! Countries by their three letters (ISO 3166-1), which some senders write where others write two.

/// Each with the two letters behind it.
const THREE_LETTERS: &str = "\
    ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI BELBE \
    BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW \
    CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY \
    CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR \
    FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU \
    GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE \
    JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT \
    LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ \
    MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ \
    OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU \
    RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK \
    SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV \
    TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA \
    ZMBZM ZWEZW";

/// A row of it, with the blank behind it.
const ROW_BYTES: usize = 6;

/// The code in two letters of what is told in two or three; what is neither is left as it is, in capitals.
pub(crate) fn country(code: &str) -> String {
    let code = code.trim().to_uppercase();
    if code.len() != 3 {
        return code;
    }
    // Asked for every place of a message: the rows are of one length.
    let mut rows = THREE_LETTERS.as_bytes().chunks(ROW_BYTES);
    let row = rows.find(|row| row.starts_with(code.as_bytes()));
    let two = row.and_then(|row| row.get(3..5));
    two.and_then(|two| std::str::from_utf8(two).ok())
        .map_or(code, str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::registry::Registry;

    #[test]
    fn countries_in_three_letters() {
        for (told, code) in [
            ("USA", "US"),
            ("can", "CA"),
            (" MEX ", "MX"),
            ("US", "US"),
            ("us", "US"),
            ("XXX", "XXX"),
            ("AUS", "AU"),
            ("", ""),
        ] {
            assert_eq!(country(told), code, "{told}");
        }
    }

    #[test]
    fn every_country_of_the_tables_has_three_letters() {
        let registry = Registry::load(&[]).unwrap();
        let known: BTreeSet<&str> = THREE_LETTERS
            .split(' ')
            .map(|row| {
                assert_eq!(row.len(), 5, "{row}");
                &row[3..]
            })
            .collect();
        assert_eq!(known.len(), THREE_LETTERS.split(' ').count());
        for port in registry.gazetteer().ports() {
            assert!(known.contains(port.locode.country()), "{}", port.locode);
        }
    }
}
