#include <array>

#include "figures/figure.hpp"

namespace bloomery::cli {

std::span<const figure> figures() {
  static constexpr std::array all{
      figure{"christensen-figure-2", christensen_figure_2},
      figure{"christensen-experiments", christensen_experiments},
      figure{"broder-table-1", broder_table_1},
      figure{"broder-compression", broder_compression},
      figure{"tarkoma-figure-3", tarkoma_figure_3},
      figure{"tarkoma-figure-5", tarkoma_figure_5},
      figure{"tarkoma-figure-7", tarkoma_figure_7},
      figure{"tarkoma-table-1", tarkoma_table_1},
      figure{"tarkoma-table-2", tarkoma_table_2},
      figure{"kind-rates", kind_rates},
      figure{"windows", windows},
  };
  return all;
}

}  // namespace bloomery::cli
