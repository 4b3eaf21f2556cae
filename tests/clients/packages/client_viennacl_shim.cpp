/* ViennaCL against plain loops, in float and double: vectors, matrices, sparse formats, solvers, FFT. */
#define CL_TARGET_OPENCL_VERSION 120
#define VIENNACL_WITH_OPENCL
#include <cmath>
#include <iostream>
#include <map>
#include <vector>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/coordinate_matrix.hpp>
#include <viennacl/ell_matrix.hpp>
#include <viennacl/fft.hpp>
#include <viennacl/hyb_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/gmres.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/jacobi_precond.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/norm_1.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/scalar.hpp>
#include <viennacl/sliced_ell_matrix.hpp>
#include <viennacl/vector.hpp>
static int count;
template <class T> int test(const char *name, double eps)
{
    int bad = 0;
    auto check = [&](const char *n, bool ok) {
        std::cout << (ok ? "ok " : "not ok ") << ++count << " - " << name << " " << n << std::endl;
        bad += !ok;
    };
    const size_t n = 257;
    std::vector<T> a(n), b(n), r(n);
    for (size_t i = 0; i < n; i++) {
        a[i] = T((i * 37 % 101) / 10.0);
        b[i] = T((i * 53 % 97) / 7.0 - 3);
    }
    viennacl::vector<T> x(n), y(n), z(n);
    viennacl::copy(a, x);
    viennacl::copy(b, y);
    z = x + T(2) * y;
    viennacl::copy(z, r);
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        ok &= std::fabs(r[i] - (a[i] + 2 * b[i])) < eps * 10;
    check("axpy", ok);
    double s = 0, n1 = 0, ni = 0;
    for (size_t i = 0; i < n; i++) {
        s += a[i] * b[i];
        n1 += std::fabs(b[i]);
        ni = std::max(ni, (double)std::fabs(b[i]));
    }
    check("inner_prod",
          std::fabs(double(T(viennacl::linalg::inner_prod(x, y))) - s) < eps * std::fabs(s) * 10);
    check("norm_1", std::fabs(double(T(viennacl::linalg::norm_1(y))) - n1) < eps * n1 * 10);
    check("norm_inf", std::fabs(double(T(viennacl::linalg::norm_inf(y))) - ni) < eps);
    const size_t m = 70;
    std::vector<std::vector<T>> A(m, std::vector<T>(m)), B = A, C = A;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            A[i][j] = T(((i * 7 + j * 3) % 11) / 5.0 + (i == j ? 20 : 0));
            B[i][j] = T(((i * 5 + j * 2) % 13) / 4.0);
        }
    viennacl::matrix<T> MA(m, m), MB(m, m), MC(m, m);
    viennacl::copy(A, MA);
    viennacl::copy(B, MB);
    MC = viennacl::linalg::prod(MA, MB);
    viennacl::copy(MC, C);
    ok = true;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double e = 0;
            for (size_t k = 0; k < m; k++)
                e += double(A[i][k]) * B[k][j];
            ok &= std::fabs(e - C[i][j]) < eps * std::fabs(e) * 20;
        }
    check("gemm", ok);
    MC = viennacl::linalg::prod(trans(MA), MB);
    viennacl::copy(MC, C);
    ok = true;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double e = 0;
            for (size_t k = 0; k < m; k++)
                e += double(A[k][i]) * B[k][j];
            ok &= std::fabs(e - C[i][j]) < eps * std::fabs(e) * 20;
        }
    check("gemm trans", ok);
    {
        viennacl::vector<T> v(m), w(m);
        std::vector<T> hv(m), hw(m);
        for (size_t i = 0; i < m; i++)
            hv[i] = T(i % 7);
        viennacl::copy(hv, v);
        w = viennacl::linalg::prod(MA, v);
        viennacl::copy(w, hw);
        ok = true;
        for (size_t i = 0; i < m; i++) {
            double e = 0;
            for (size_t k = 0; k < m; k++)
                e += double(A[i][k]) * hv[k];
            ok &= std::fabs(e - hw[i]) < eps * std::fabs(e) * 20 + eps;
        }
        check("gemv", ok);
        viennacl::matrix<T> L(MA);
        viennacl::linalg::lu_factorize(L);
        viennacl::vector<T> sol(v);
        viennacl::linalg::lu_substitute(L, sol);
        viennacl::vector<T> res = viennacl::linalg::prod(MA, sol);
        res -= v;
        check("lu", double(T(viennacl::linalg::norm_2(res))) < eps * 1000);
    }
    {
        std::vector<std::map<unsigned, T>> S(500);
        for (unsigned i = 0; i < 500; i++) {
            S[i][i] = 4;
            if (i)
                S[i][i - 1] = -1;
            if (i + 1 < 500)
                S[i][i + 1] = -1;
            if (i >= 22)
                S[i][i - 22] = -1;
            if (i + 22 < 500)
                S[i][i + 22] = -1;
        }
        std::vector<T> hv(500), hr(500);
        for (int i = 0; i < 500; i++)
            hv[i] = T((i % 9) - 4);
        std::vector<double> e(500, 0);
        for (unsigned i = 0; i < 500; i++)
            for (auto &p : S[i])
                e[i] += double(p.second) * hv[p.first];
        viennacl::vector<T> v(500), w(500);
        viennacl::copy(hv, v);
        auto cmp = [&](const char *nm) {
            viennacl::copy(w, hr);
            bool k = true;
            for (int i = 0; i < 500; i++)
                k &= std::fabs(hr[i] - e[i]) < eps * 100;
            check(nm, k);
        };
        viennacl::compressed_matrix<T> cm;
        viennacl::copy(S, cm);
        w = viennacl::linalg::prod(cm, v);
        cmp("csr");
        viennacl::coordinate_matrix<T> co;
        viennacl::copy(S, co);
        w = viennacl::linalg::prod(co, v);
        cmp("coo");
        viennacl::ell_matrix<T> em;
        viennacl::copy(S, em);
        w = viennacl::linalg::prod(em, v);
        cmp("ell");
        viennacl::hyb_matrix<T> hm;
        viennacl::copy(S, hm);
        w = viennacl::linalg::prod(hm, v);
        cmp("hyb");
        viennacl::sliced_ell_matrix<T> sm;
        viennacl::copy(S, sm);
        w = viennacl::linalg::prod(sm, v);
        cmp("sell");
        viennacl::vector<T> q = viennacl::linalg::solve(cm, v, viennacl::linalg::cg_tag(eps, 500));
        w = viennacl::linalg::prod(cm, q);
        w -= v;
        check("cg", double(T(viennacl::linalg::norm_2(w))) < eps * 1000);
        q = viennacl::linalg::solve(cm, v, viennacl::linalg::bicgstab_tag(eps, 500));
        w = viennacl::linalg::prod(cm, q);
        w -= v;
        check("bicgstab", double(T(viennacl::linalg::norm_2(w))) < eps * 1000);
        q = viennacl::linalg::solve(cm, v, viennacl::linalg::gmres_tag(eps, 500, 30));
        w = viennacl::linalg::prod(cm, q);
        w -= v;
        check("gmres", double(T(viennacl::linalg::norm_2(w))) < eps * 1000);
        viennacl::compressed_matrix<T> pr = viennacl::linalg::prod(cm, cm);
        viennacl::vector<T> w2 = viennacl::linalg::prod(pr, v);
        w = viennacl::linalg::prod(cm, v);
        viennacl::vector<T> w3 = viennacl::linalg::prod(cm, w);
        w2 -= w3;
        check("spgemm", double(T(viennacl::linalg::norm_2(w2))) < eps * 1000);
    }
    {
        std::vector<T> h(2 * 64), o(2 * 64);
        for (size_t i = 0; i < 128; i++)
            h[i] = T((i * 29 % 31) / 8.0);
        viennacl::vector<T> v(128), w(128);
        viennacl::copy(h, v);
        viennacl::fft(v, w);
        viennacl::copy(w, o);
        ok = true;
        for (int k = 0; k < 64; k++) {
            double re = 0, im = 0;
            for (int j = 0; j < 64; j++) {
                double an = -2 * M_PI * j * k / 64;
                re += h[2 * j] * cos(an) - h[2 * j + 1] * sin(an);
                im += h[2 * j] * sin(an) + h[2 * j + 1] * cos(an);
            }
            ok &= std::fabs(re - o[2 * k]) < eps * 1000 && std::fabs(im - o[2 * k + 1]) < eps * 1000;
        }
        check("fft", ok);
    }
    return bad;
}
int main()
{
    std::cout << "1..36" << std::endl;
    int b = test<float>("float", 1e-5);
    b += test<double>("double", 1e-10);
    return b != 0;
}
