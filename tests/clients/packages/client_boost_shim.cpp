/* Boost.Compute against the standard library: one check for each algorithm. */
#define CL_TARGET_OPENCL_VERSION 120
#include <algorithm>
#include <boost/compute/algorithm.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/core.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/random.hpp>
#include <boost/compute/types/struct.hpp>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>
namespace bc = boost::compute;
static int count, bad;
static void check(const char *name, bool good)
{
    std::cout << (good ? "ok " : "not ok ") << ++count << " - " << name << std::endl;
    bad += !good;
}
int main()
{
    bc::device d = bc::system::default_device();
    bc::context c(d);
    bc::command_queue q(c, d);
    std::cout << "1..26" << std::endl;
    std::vector<int> h(5000);
    unsigned s = 1;
    for (auto &x : h) {
        s = s * 1103515245 + 12345;
        x = (s >> 8) % 10000 - 5000;
    }
    bc::vector<int> v(h.begin(), h.end(), q);
    {
        auto e = h;
        std::sort(e.begin(), e.end());
        bc::vector<int> w(v, q);
        bc::sort(w.begin(), w.end(), q);
        std::vector<int> r(h.size());
        bc::copy(w.begin(), w.end(), r.begin(), q);
        check("sort", r == e);
    }
    {
        auto e = h;
        std::sort(e.begin(), e.end(), std::greater<int>());
        bc::vector<int> w(v, q);
        bc::sort(w.begin(), w.end(), bc::greater<int>(), q);
        std::vector<int> r(h.size());
        bc::copy(w.begin(), w.end(), r.begin(), q);
        check("sort greater", r == e);
    }
    {
        std::vector<float> hf(h.begin(), h.end());
        bc::vector<float> w(hf.begin(), hf.end(), q);
        bc::stable_sort(w.begin(), w.end(), q);
        std::sort(hf.begin(), hf.end());
        std::vector<float> r(hf.size());
        bc::copy(w.begin(), w.end(), r.begin(), q);
        check("sort float", r == hf);
    }
    {
        std::vector<int> r(h.size()), e(h.size());
        bc::vector<int> w(h.size(), c);
        bc::inclusive_scan(v.begin(), v.end(), w.begin(), q);
        bc::copy(w.begin(), w.end(), r.begin(), q);
        std::partial_sum(h.begin(), h.end(), e.begin());
        check("inclusive_scan", r == e);
    }
    {
        std::vector<int> r(h.size());
        bc::vector<int> w(h.size(), c);
        bc::exclusive_scan(v.begin(), v.end(), w.begin(), 10, q);
        bc::copy(w.begin(), w.end(), r.begin(), q);
        int a = 10;
        bool ok = true;
        for (size_t i = 0; i < h.size(); i++) {
            ok &= r[i] == a;
            a += h[i];
        }
        check("exclusive_scan", ok);
    }
    {
        int sum = 0;
        bc::reduce(v.begin(), v.end(), &sum, bc::plus<int>(), q);
        check("reduce", sum == std::accumulate(h.begin(), h.end(), 0));
        check("accumulate", bc::accumulate(v.begin(), v.end(), 0, q) == sum);
    }
    {
        using bc::lambda::_1;
        bc::vector<int> w(h.size(), c);
        bc::transform(v.begin(), v.end(), w.begin(), _1 * 2 + 3, q);
        std::vector<int> r(h.size());
        bc::copy(w.begin(), w.end(), r.begin(), q);
        bool ok = true;
        for (size_t i = 0; i < h.size(); i++)
            ok &= r[i] == h[i] * 2 + 3;
        check("transform lambda", ok);
        check("count_if", bc::count_if(v.begin(), v.end(), _1 > 0, q) ==
                              (size_t)std::count_if(h.begin(), h.end(), [](int x) { return x > 0; }));
        auto it = bc::find_if(v.begin(), v.end(), _1 > 4990, q);
        auto he = std::find_if(h.begin(), h.end(), [](int x) { return x > 4990; });
        check("find_if", (it - v.begin()) == (he - h.begin()));
        auto e = bc::copy_if(v.begin(), v.end(), w.begin(), _1 > 0, q);
        check("copy_if", (e - w.begin()) == std::count_if(h.begin(), h.end(), [](int x) { return x > 0; }));
        bc::vector<int> p(v, q);
        auto m = bc::partition(p.begin(), p.end(), _1 < 100, q);
        check("partition",
              (m - p.begin()) == std::count_if(h.begin(), h.end(), [](int x) { return x < 100; }));
    }
    {
        auto mm = bc::minmax_element(v.begin(), v.end(), q);
        auto e = std::minmax_element(h.begin(), h.end());
        check("minmax", mm.first.read(q) == *e.first && mm.second.read(q) == *e.second);
    }
    {
        bc::vector<int> w(v, q);
        bc::sort(w.begin(), w.end(), q);
        auto e = bc::unique(w.begin(), w.end(), q);
        auto hh = h;
        std::sort(hh.begin(), hh.end());
        auto he = std::unique(hh.begin(), hh.end());
        check("unique", (e - w.begin()) == (he - hh.begin()));
        check("lower_bound", (bc::lower_bound(w.begin(), e, 100, q) - w.begin()) ==
                                 (std::lower_bound(hh.begin(), he, 100) - hh.begin()));
        check("binary_search", bc::binary_search(w.begin(), e, hh[7], q));
        check("is_sorted", bc::is_sorted(w.begin(), e, q));
    }
    {
        bc::vector<int> w(v, q);
        bc::reverse(w.begin(), w.end(), q);
        bc::rotate(w.begin(), w.begin() + 17, w.end(), q);
        auto e = h;
        std::reverse(e.begin(), e.end());
        std::rotate(e.begin(), e.begin() + 17, e.end());
        std::vector<int> r(h.size());
        bc::copy(w.begin(), w.end(), r.begin(), q);
        check("reverse rotate", r == e);
    }
    {
        bc::vector<unsigned> k(1000, c), x(1000, c);
        bc::mersenne_twister_engine<unsigned> g(q, 5);
        g.generate(k.begin(), k.end(), q);
        std::vector<unsigned> r(1000);
        bc::copy(k.begin(), k.end(), r.begin(), q);
        std::mt19937 e(5);
        bool ok = true;
        for (auto y : r)
            ok &= y == e();
        check("mt19937", ok);
        bc::iota(x.begin(), x.end(), 0u, q);
        bc::sort_by_key(k.begin(), k.end(), x.begin(), q);
        std::vector<unsigned> rk(1000), rx(1000);
        bc::copy(k.begin(), k.end(), rk.begin(), q);
        bc::copy(x.begin(), x.end(), rx.begin(), q);
        ok = std::is_sorted(rk.begin(), rk.end());
        for (int i = 0; i < 1000; i++)
            ok &= r[rx[i]] == rk[i];
        check("sort_by_key", ok);
    }
    {
        bc::vector<float> f(1000, c);
        bc::default_random_engine g(q);
        bc::uniform_real_distribution<float> u(1.f, 2.f);
        u.generate(f.begin(), f.end(), g, q);
        float mn = bc::min_element(f.begin(), f.end(), q).read(q),
              mx = bc::max_element(f.begin(), f.end(), q).read(q);
        check("uniform", mn >= 1 && mx < 2 && mx > mn);
        bc::normal_distribution<float> nd(5.f, 1.f);
        nd.generate(f.begin(), f.end(), g, q);
        float s = bc::accumulate(f.begin(), f.end(), 0.f, q);
        check("normal", s / 1000 > 4.8 && s / 1000 < 5.2);
    }
    {
        std::vector<int> a{1, 2, 2, 5, 7, 9}, b{2, 5, 5, 9, 11};
        bc::vector<int> A(a.begin(), a.end(), q), B(b.begin(), b.end(), q), C(20, c);
        std::vector<int> e, r;
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(e));
        auto en = bc::set_union(A.begin(), A.end(), B.begin(), B.end(), C.begin(), q);
        r.resize(en - C.begin());
        bc::copy(C.begin(), en, r.begin(), q);
        check("set_union", r == e);
        e.clear();
        std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(e));
        en = bc::merge(A.begin(), A.end(), B.begin(), B.end(), C.begin(), q);
        r.resize(en - C.begin());
        bc::copy(C.begin(), en, r.begin(), q);
        check("merge", r == e);
    }
    {
        BOOST_COMPUTE_FUNCTION(int, collatz, (int n), {
            int k = 0;
            while (n > 1) {
                n = n % 2 ? 3 * n + 1 : n / 2;
                k++;
            }
            return k;
        });
        bc::vector<int> w(100, c);
        bc::iota(w.begin(), w.end(), 1, q);
        bc::transform(w.begin(), w.end(), w.begin(), collatz, q);
        std::vector<int> r(100);
        bc::copy(w.begin(), w.end(), r.begin(), q);
        check("function", r[26] == 111);
    }
    {
        std::vector<int> r;
        bc::vector<int> keys(h.size(), c), vals(h.size(), c), ok_(h.size(), c), ov(h.size(), c);
        using bc::lambda::_1;
        std::vector<int> hk(h.size());
        for (size_t i = 0; i < hk.size(); i++)
            hk[i] = i / 37;
        bc::copy(hk.begin(), hk.end(), keys.begin(), q);
        auto e = bc::reduce_by_key(keys.begin(), keys.end(), v.begin(), ok_.begin(), ov.begin(), q);
        size_t n = e.first - ok_.begin();
        r.resize(n);
        bc::copy(ov.begin(), ov.begin() + n, r.begin(), q);
        bool ok = n == (h.size() + 36) / 37;
        for (size_t i = 0; i < n && ok; i++) {
            int s = 0;
            for (size_t j = i * 37; j < std::min(h.size(), i * 37 + 37); j++)
                s += h[j];
            ok &= s == r[i];
        }
        check("reduce_by_key", ok);
    }
    return bad != 0;
}
